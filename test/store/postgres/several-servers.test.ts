import { beforeAll, describe, expect, test } from 'vitest'
import { createToken } from '../../../src/auth/tokens.ts'
import { openStore } from '../../../src/store/open-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { temporaryDatabase } from '../../support/server/postgres-database.ts'
import { type ServerProcess, runScript, startProcess } from '../../support/server/start-process.ts'

describe('three servers on one database', () => {
  let url: string
  let servers: ServerProcess[]
  let store: Store
  let token: string

  beforeAll(async () => {
    const finishes: (() => Promise<void>)[] = []
    url = await temporaryDatabase({}, (finish) => void finishes.push(finish))
    // All at once, on a database that is still empty.
    servers = await Promise.all([1, 2, 3].map(() => startProcess({ DATABASE_URL: url })))
    store = await openStore({ engine: 'postgres', url }, { onFault: () => undefined })
    const issued = await runScript('scripts/token.ts', ['issue', 'me'], { DATABASE_URL: url })
    token = issued.stdout.trim()
    return async () => {
      await store.close()
      await Promise.all(servers.map((server) => server.end()))
      for (const finish of finishes) await finish()
    }
  })

  async function issueToken(caller: string): Promise<string> {
    const { text, stored } = createToken(caller, Date.now())
    await store.addToken(stored)
    return text
  }

  function send(
    { origin }: ServerProcess,
    method: string,
    path: string,
    plant?: object,
    bearer = token,
  ): Promise<Response> {
    const content = plant === undefined ? {} : { body: JSON.stringify(plant) }
    return fetch(origin + path, {
      method,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      ...content,
    })
  }

  async function namesOn(server: ServerProcess, bearer = token): Promise<string[]> {
    const response = await send(server, 'GET', '/plants', undefined, bearer)
    return ((await response.json()) as { name: string }[]).map(({ name }) => name)
  }

  test('none of them issues a token by itself', () => {
    for (const { stdout } of servers) expect(stdout()).toContain('Token        npm run token -- issue CALLER')
  })

  test('what is created and deleted on one is seen on all at once', async () => {
    const bearer = await issueToken('seen')
    for (const [index, server] of servers.entries()) {
      expect((await send(server, 'POST', '/plants', { id: index, name: String(index) }, bearer)).status).toBe(200)
      for (const other of servers) expect(await namesOn(other, bearer)).toEqual([String(index)])
      expect(
        (await send(servers[(index + 1) % 3]!, 'DELETE', `/plants/${String(index)}`, undefined, bearer)).status,
      ).toBe(204)
      for (const other of servers) expect(await namesOn(other, bearer)).toEqual([])
    }
  })

  test('of sixty creates of one id over all of them exactly one wins, and its plant is there', async () => {
    const bearer = await issueToken('one id')
    const responses = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        send(servers[index % 3]!, 'POST', '/plants', { id: 54, name: String(index) }, bearer),
      ),
    )
    const statuses = responses.map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, ...Array<number>(59).fill(409)])
    expect(await namesOn(servers[0]!, bearer)).toEqual([String(statuses.indexOf(200))])
  })

  test('a revoked token is refused by all with the next request', async () => {
    const bearer = await issueToken('revoked')
    for (const server of servers) expect((await send(server, 'GET', '/plants', undefined, bearer)).status).toBe(200)
    const { stdout } = await runScript('scripts/token.ts', ['revoke', bearer], { DATABASE_URL: url })
    expect(stdout).toContain('revoked plst_')
    for (const server of servers) expect((await send(server, 'GET', '/plants', undefined, bearer)).status).toBe(401)
  })

  test('one that is killed in the middle of writing loses nothing that it has acknowledged', async () => {
    const bearer = await issueToken('killed')
    const doomed = await startProcess({ DATABASE_URL: url })
    const acknowledged: string[] = []
    let sent = 0
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (;;) {
          const id = sent++
          try {
            const { status } = await send(doomed, 'POST', '/plants', { id, name: String(id) }, bearer)
            expect(status).toBe(200)
          } catch {
            return
          }
          acknowledged.push(String(id))
          if (acknowledged.length === 200) doomed.child.kill('SIGKILL')
        }
      }),
    )
    expect(acknowledged.length).toBeGreaterThanOrEqual(200)
    expect(await namesOn(servers[0]!, bearer)).toEqual(expect.arrayContaining(acknowledged))
  })
})
