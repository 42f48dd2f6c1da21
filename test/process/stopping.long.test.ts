import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { servedDatabase } from '../support/server/served-database.ts'

test('under load every client is answered until it is refused, and no connection that waits is reset', async () => {
  const { token, serve } = await servedDatabase()
  const server = await serve({ SHUTDOWN_DELAY: '1' })
  const { hostname, port } = new URL(server.origin)
  const request = `GET /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`
  const ends: Record<string, number> = {}

  /** Asks again and again, each time on a new connection, until one fails. */
  async function ask(): Promise<void> {
    for (;;) {
      const socket = connect(Number(port), hostname)
      try {
        await once(socket, 'connect')
        socket.write(request)
        const [answer] = (await once(socket, 'data')) as [Buffer]
        if (!answer.toString('latin1').startsWith('HTTP/1.1 200 ')) throw new Error(answer.toString('latin1'))
      } catch (error) {
        const end = (error as NodeJS.ErrnoException).code ?? String(error)
        ends[end] = (ends[end] ?? 0) + 1
        return
      } finally {
        socket.destroy()
      }
    }
  }

  const clients = Array.from({ length: 64 }, ask)
  await delay(200)
  server.child.kill('SIGTERM')
  await Promise.all(clients)
  expect(ends).toEqual({ ECONNREFUSED: 64 })
  expect(await server.ended).toBe(0)
})
