import { expect, test } from 'vitest'
import { servedDatabase } from '../support/server/served-database.ts'
import { runSql } from '../support/server/sqlite-file.ts'

test('soon after the start, the log names stored plants that do not fit the contract, and the remedy', async () => {
  const { file, serve } = await servedDatabase()
  runSql(
    file,
    `WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < 500)
     INSERT INTO plants (caller, id, name) SELECT 'me', id, iif(id IN (7, 500), '', 'Monstera') FROM ids`,
  )
  const server = await serve()
  const warning =
    /"msg":"2 of 200 rows of plants that were compared do not fit Plant in the contract, such as that of caller me, id 7: name must have at least 1 character; lists send them as they are; correct them with a migration, or allow them in the contract"/
  await expect.poll(() => server.stderr()).toMatch(warning)
})
