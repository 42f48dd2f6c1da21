import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../support/server/start-app.ts'

test('connections beyond the most are closed at once, others are served, and the log counts the closed', async () => {
  const { listen, logLines } = await startApp({ limits: { connections: 2 } })
  const port = Number(new URL(await listen()).port)
  const open = async () => {
    const socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  const first = await open()
  await open()
  await Promise.all([1, 2, 3].map(async () => once(await open(), 'close')))

  first.write('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n')
  const [answer] = (await once(first, 'data')) as [Buffer]
  expect(answer.toString('latin1', 0, 15)).toBe('HTTP/1.1 200 OK')
  const logged = () => logLines.map((line) => JSON.parse(line) as unknown)
  await expect
    .poll(logged, { timeout: 10_000 })
    .toContainEqual(
      expect.objectContaining({ level: 40, connections: 3, msg: 'connections closed as soon as made: 2 are open' }),
    )
})
