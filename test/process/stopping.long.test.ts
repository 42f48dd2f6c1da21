import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { newConnection } from '../support/client/new-connection.ts'
import { brokenPromises, emptyRecord, startWriters } from '../support/client/writers.ts'
import { servedDatabase } from '../support/server/served-database.ts'

test('under load /readyz is 503 before the listener closes, no write is lost, and the log is folded in', async () => {
  const { file, serve } = await servedDatabase()
  const server = await serve({ SHUTDOWN_DELAY: '1' })
  const record = emptyRecord()
  const stopWriters = startWriters(server, record, 8)
  await expect.poll(() => record.deleted.size, { interval: 5, timeout: 10_000 }).toBeGreaterThan(0)
  server.child.kill('SIGTERM')

  const told: string[] = []
  while (told.at(-1) !== 'readyz refused') {
    told.push(`readyz ${String(await newConnection(server.origin, '/readyz'))}`)
    if (told.at(-1) === 'readyz 503') told.push(`livez ${String(await newConnection(server.origin, '/livez'))}`)
    await delay(50)
  }
  const story = told.filter((line, index) => line !== 'readyz 200' && told.indexOf(line) === index)
  expect(story.filter((line) => line !== 'livez refused')).toEqual(['readyz 503', 'livez 200', 'readyz refused'])

  expect(await server.ended).toBe(0)
  await stopWriters()
  // A client whose connection ends between two requests sends the next one in vain; no other answer is a failure.
  expect(Object.keys(record.statuses).sort()).toEqual(['200', '204'])
  expect(existsSync(`${file}-wal`)).toBe(false)
  const database = new Database(file, { readonly: true })
  expect(brokenPromises(record, database.prepare<[], string>('SELECT name FROM plants').pluck().all())).toEqual({
    lost: [],
    returned: [],
  })
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
  database.close()
})

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
