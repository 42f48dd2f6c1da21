import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../support/start-app.ts'

test('long lists arrive whole at a client that reads them late', async () => {
  const { listen, store, token } = await startApp()
  const plants = Array.from({ length: 1_000 }, (_, id) => ({ id: BigInt(id), name: `${String(id)} ${'\u{1f331}'.repeat(250)}` }))
  await Promise.all(plants.map((plant) => store.create('me', plant)))
  const list = JSON.stringify(plants.map(({ name }) => ({ name })))
  // More than the sockets between the two hold, so that the server has to keep what it sends.
  const count = 16
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
  for (const response of responses) expect(response.slice(response.indexOf('\r\n\r\n') + 4) === list).toBe(true)
})
