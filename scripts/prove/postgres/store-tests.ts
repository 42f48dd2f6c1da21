import { runTool } from '../../../packages/fastify-contract/src/gate/run-tool.ts'
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
  const args = ['run', '--project=postgres', ...options, ...files]
  const { ok, output } = await runTool(projectFolder, 'vitest', 'vitest.mjs', args, { TEST_DATABASE_URL: url })
  if (!ok) console.log(output.slice(-8_000))
  return { isPassed: ok, summary: /^ +Tests +(.*)$/m.exec(output)?.[1] ?? 'none' }
}
