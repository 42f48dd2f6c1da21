import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { projectFolder } from '../../measure/servers/server-process.ts'

const files = ['test/store/postgres/store-suite.test.ts', 'test/store/postgres/store.test.ts']

/** All but those that look for waiting sessions in the locks of one PostgreSQL server. */
const names = '^(?!.*(?:after 40001|after 40P01|in one order))'

/** Runs the tests of the store on a server. */
export async function runStoreTests(url: string): Promise<{ isPassed: boolean; summary: string }> {
  // One file at a time: Citus finds a deadlock where two sessions drop schemas.
  const options = [
    '--no-file-parallelism',
    '--testTimeout=120000',
    '--hookTimeout=120000',
    `--testNamePattern=${names}`,
  ]
  const args = ['vitest', 'run', '--project=postgres', ...options, ...files]
  const child = spawn('npx', args, {
    cwd: projectFolder,
    env: { ...process.env, TEST_DATABASE_URL: url, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) console.log(output.slice(-8_000))
  return { isPassed: code === 0, summary: /^ +Tests +(.*)$/m.exec(output)?.[1] ?? 'none' }
}
