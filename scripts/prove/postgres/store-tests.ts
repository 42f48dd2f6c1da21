import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { projectFolder } from '../../measure/servers/server-process.ts'

const files = ['test/store/postgres/store-suite.test.ts', 'test/store/postgres/store.test.ts']

/** All but those that look for waiting sessions in the locks of one PostgreSQL server. */
const names = '^(?!.*(?:after 40001|after 40P01|in one order))'

/** Runs the tests of the store on a server. */
export function runStoreTests(url: string): Promise<{ isPassed: boolean; summary: string }> {
  // One file at a time: Citus finds a deadlock where two sessions drop schemas.
  const options = [
    '--no-file-parallelism',
    '--testTimeout=120000',
    '--hookTimeout=120000',
    `--testNamePattern=${names}`,
  ]
  const args = ['run', '--project=postgres', ...options, ...files]
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(projectFolder, 'node_modules/vitest/vitest.mjs'), ...args],
    {
      cwd: projectFolder,
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1', TEST_DATABASE_URL: url },
    },
  )
  if (status !== 0) console.log(stdout.slice(-8_000))
  return Promise.resolve({ isPassed: status === 0, summary: /^ +Tests +(.*)$/m.exec(stdout)?.[1] ?? 'none' })
}
