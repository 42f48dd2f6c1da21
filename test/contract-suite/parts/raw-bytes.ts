import { setTimeout as delay } from 'node:timers/promises'
import { connect } from 'node:net'
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { exchange } from '../../support/client/exchange.ts'
import { errorNumber } from '../../support/responses/expected-contract.ts'
import { observe, startService } from '../contract-client.ts'
import { rawRequests } from '../requests/raw-requests.ts'

/** Short enough for a test to wait for. */
const hasty = { headersMilliseconds: 200, requestMilliseconds: 300, checkMilliseconds: 50 }

/** Takes its time, so that what is checked is never how busy the machine is; only a connection that idles ends soon. */
const patient = { keepAliveMilliseconds: 100 }

/** Tests that whatever bytes arrive, what leaves is the contract's Error, or nothing where HTTP allows no answer. */
export function testRawBytes(): void {
  describe('on a bare connection', () => {
    test.each(['all', 'part'] as const)(
      'a request of the corpus of which %s arrives has the answers of the contract',
      { timeout: 60_000 },
      async (arrives) => {
        const service = await startService({ limits: arrives === 'all' ? patient : hasty })
        const corpus = rawRequests(service.token).filter(
          ({ answers }) => answers.includes('request_timeout') === (arrives === 'part'),
        )
        await Promise.all(
          corpus.map(async ({ title, pieces, meant, answers }) => {
            const responses = await exchange(service.origin, ...pieces)
            const told = responses.map((response) =>
              response.status < 400 ? response.status : (JSON.parse(response.text) as { error: number }).error,
            )
            expect(told, title).toEqual(
              answers.map((answer) => (typeof answer === 'number' ? answer : errorNumber(answer))),
            )
            for (const response of responses) observe(meant, response)
          }),
        )
      },
    )

    test('a request that is under way when the server closes is answered, and the connection ends', async () => {
      const { app, origin, token } = await startService()
      const body = '{"id":1,"name":"a"}'
      const head =
        `POST /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${String(body.length)}\r\n\r\n`
      let closing: Promise<void> = Promise.resolve()
      const [response, ...others] = await exchange(
        origin,
        head,
        body.slice(0, 5),
        async () => {
          // The server has to have the head before it closes.
          while ((await connectionsOf(app.server)) === 0) await delay(5)
          await delay(50)
          closing = app.close()
        },
        body.slice(5),
      )
      expect(others).toEqual([])
      expect(observe({ method: 'POST', url: '/plants' }, response!).status).toBe(200)
      await closing
      await expect(once(connect(Number(new URL(origin).port), '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED')
    })

    test('an idle connection ends without an answer when the server closes', async () => {
      const { app, origin } = await startService()
      const answers = exchange(origin)
      while ((await connectionsOf(app.server)) === 0) await delay(5)
      await app.close()
      expect(await answers).toEqual([])
    })
  })
}

function connectionsOf(server: {
  getConnections: (callback: (error: Error | null, count: number) => void) => unknown
}): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => {
      if (error) reject(error)
      else resolve(count)
    })
  })
}
