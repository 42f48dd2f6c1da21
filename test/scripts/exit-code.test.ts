import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nodeBinary } from '../support/server/start-process.ts'

test('a process that has loaded PostgreSQL keeps its exit code, so that a run with a failed test fails', () => {
  const file = join(import.meta.dirname, '../../scripts/measure/servers/reachable-postgres.ts')
  const program = `const { loadEmbeddedPostgres } = await import(${JSON.stringify(file)})
    const { remove } = await loadEmbeddedPostgres()
    await remove()
    process.exitCode = 3`
  expect(spawnSync(nodeBinary, ['--input-type=module', '--eval', program]).status).toBe(3)
})
