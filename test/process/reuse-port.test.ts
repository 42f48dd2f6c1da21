import { expect, onTestFinished, test } from 'vitest'
import { urlOf } from '../support/server/served-database.ts'
import { temporaryLocation } from '../support/server/start-app.ts'
import { type ServerProcess, runScript, startProcess } from '../support/server/start-process.ts'

async function start(environment: Record<string, string>): Promise<ServerProcess> {
  const server = await startProcess(environment)
  onTestFinished(() => server.end())
  return server
}

test('REUSE_PORT lets processes share a port and a database, and one goes on when the other ends', async () => {
  const environment = { DATABASE_URL: urlOf(await temporaryLocation()), REUSE_PORT: '1', LOG_LEVEL: 'info' }
  const first = await start(environment)
  const second = await start({ ...environment, PORT: new URL(first.origin).port })
  const { stdout } = await runScript('scripts/token.ts', ['issue', 'shared'], environment)
  const headers = { authorization: `Bearer ${stdout.trim()}`, 'content-type': 'application/json', connection: 'close' }
  const create = async (id: number) =>
    (await fetch(`${first.origin}/plants`, { method: 'POST', headers, body: JSON.stringify({ id, name: String(id) }) }))
      .status

  // The kernel gives each new connection to one of them.
  for (let id = 0; id < 40; id++) expect(await create(id)).toBe(200)
  const answeredBy = ({ stderr }: ServerProcess) => stderr().split('"operation":"createPlant"').length - 1
  await expect.poll(() => answeredBy(first) + answeredBy(second)).toBe(40)
  expect(answeredBy(first)).toBeGreaterThan(0)
  expect(answeredBy(second)).toBeGreaterThan(0)

  await first.end()
  for (let id = 40; id < 50; id++) expect(await create(id)).toBe(200)
  const list = await fetch(`${first.origin}/plants`, { headers })
  expect(await list.json()).toHaveLength(50)
})
