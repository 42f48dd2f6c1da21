import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../../support/server/start-app.ts'

/** A body in chunks as it was before (RFC 9112, section 7.1). */
function dechunked(body: string): string {
  const bytes = Buffer.from(body)
  const pieces: Buffer[] = []
  for (let at = 0; ;) {
    const start = bytes.indexOf('\r\n', at) + 2
    const size = Number.parseInt(bytes.toString('latin1', at, start), 16)
    if (size === 0) return Buffer.concat(pieces).toString()
    pieces.push(bytes.subarray(start, start + size))
    at = start + size + 2
  }
}

test.each([
  ['whole', 120],
  ['in chunks', 1_000],
])('long lists that are sent %s arrive to the last byte at a client that reads them late', async (form, plantCount) => {
  const { listen, store, token } = await startApp()
  const plants = Array.from({ length: plantCount }, (_, id) => ({
    id: BigInt(id),
    name: `${String(id)} ${'\u{1f331}'.repeat(250)}`,
  }))
  await Promise.all(plants.map((plant) => store.create('me', plant)))
  const list = JSON.stringify(plants.map(({ name }) => ({ name })))
  // More than the sockets between the two hold, so that the server has to keep what it sends.
  const count = 40
  const request = `GET /plants?limit=1000 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n`
  const socket = connect(Number(new URL(await listen()).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  socket.write(`${request}\r\n`.repeat(count - 1) + `${request}Connection: close\r\n\r\n`)
  await delay(200)
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  const responses = Buffer.concat(chunks).toString().split('HTTP/1.1 200 OK\r\n').slice(1)
  expect(responses).toHaveLength(count)
  for (const response of responses) {
    const body = response.slice(response.indexOf('\r\n\r\n') + 4)
    expect((form === 'whole' ? body : dechunked(body)) === list).toBe(true)
  }
})
