import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { receive } from '../support/client/raw-http.ts'
import { temporaryFolder } from '../support/server/start-app.ts'
import { startProcess } from '../support/server/start-process.ts'

test('docs files that failed for lack of open files are served once there are some', async () => {
  const server = await startProcess({ DATABASE_URL: `sqlite:${join(await temporaryFolder(), 'plants.db')}` })
  onTestFinished(() => server.end())
  const limit = (files: number) =>
    execFileSync('prlimit', ['--pid', String(server.child.pid), `--nofile=${String(files)}:`])
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
  const paths = ['/docs/static/index.css', '/docs/static/swagger-ui.css']
  const responses = await receive(
    server.origin,
    get('/livez'),
    async (received) => {
      await expect.poll(received).toContain('{"status":"ok"}')
      limit(0)
    },
    ...paths.map(get),
    async (received) => {
      await expect.poll(() => received().match(/"error":50000/g)).toHaveLength(paths.length)
      limit(1_000)
    },
    ...paths.map(get),
    'GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  )
  expect(responses.map(({ status }) => status)).toEqual([200, 500, 500, 200, 200, 200])
})
