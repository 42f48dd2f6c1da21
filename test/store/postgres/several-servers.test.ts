import { expect, test } from 'vitest'
import { temporaryDatabase } from '../../support/server/postgres-database.ts'
import { servedPostgres } from '../../support/server/served-database.ts'

test('a server that is killed in the middle of writing loses nothing that it has acknowledged', async () => {
  const { serve } = await servedPostgres(await temporaryDatabase())
  const [doomed, other] = await Promise.all([serve(), serve()])
  const acknowledged: string[] = []
  let sent = 0
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (;;) {
        const id = sent++
        const status = await doomed.create(id).catch(() => undefined)
        if (status === undefined) return
        expect(status).toBe(200)
        acknowledged.push(String(id))
        if (acknowledged.length === 200) doomed.child.kill('SIGKILL')
      }
    }),
  )
  expect(acknowledged.length).toBeGreaterThanOrEqual(200)
  expect(await other.names()).toEqual(expect.arrayContaining(acknowledged))
})
