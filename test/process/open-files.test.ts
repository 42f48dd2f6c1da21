import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openFilesWarning } from '../../src/process/file-limit.ts'
import { exchange } from '../support/client/exchange.ts'
import { temporaryFolder } from '../support/server/start-app.ts'
import { nodeBinary, projectFolder, startProcess } from '../support/server/start-process.ts'

const warning =
  'MAX_CONNECTIONS 1000 needs 1100 open files, ' +
  'and this process may have 1099: raise the limit (ulimit -n 1100, or LimitNOFILE= in a systemd unit), ' +
  'or lower MAX_CONNECTIONS'

test('a limit on open files that MAX_CONNECTIONS does not fit into is told at the start, with the remedy', async () => {
  const environment = { DATABASE_URL: `sqlite:${join(await temporaryFolder(), 'plants.db')}`, MAX_CONNECTIONS: '1000' }
  const start = async (limit: number) => {
    const server = await startProcess(environment, [
      'bash',
      '-c',
      `ulimit -n ${String(limit)}; exec "$0" "$1"`,
      nodeBinary,
      join(projectFolder, 'src/main.ts'),
    ])
    onTestFinished(() => server.end())
    await server.end()
    return server.stderr()
  }
  expect(await start(1_099)).toContain(`"level":40,`)
  expect(await start(1_099)).toContain(`"msg":"${warning}"`)
  expect(await start(1_100)).toBe('')
})

test.each([
  ['no limit', 'Max open files            unlimited            unlimited            files'],
  ['a system that tells no limit', undefined],
])('%s is no reason for a warning', (_description, limits) => {
  expect(openFilesWarning(1_000_000, limits)).toBeUndefined()
})

test('what of the docs page could not be read for want of open files is served as soon as there are some', async () => {
  const server = await startProcess({ DATABASE_URL: `sqlite:${join(await temporaryFolder(), 'plants.db')}` })
  onTestFinished(() => server.end())
  const limit = (files: number) =>
    execFileSync('prlimit', ['--pid', String(server.child.pid), `--nofile=${String(files)}:`])
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
  const paths = ['/docs/static/index.css', '/docs/static/swagger-ui.css']
  const responses = await exchange(
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
