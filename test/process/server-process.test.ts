import { execFile } from 'node:child_process'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { exchange } from '../support/client/exchange.ts'
import { temporaryFolder } from '../support/server/start-app.ts'
import { type ServerProcess, runScript, startProcess } from '../support/server/start-process.ts'

const run = promisify(execFile)

async function start(
  environment: Record<string, string>,
  command?: readonly [string, ...string[]],
): Promise<ServerProcess> {
  const server = await startProcess(environment, command)
  onTestFinished(() => server.end())
  return server
}

/** An environment with a database of its own that is not there yet. */
async function newDatabase(): Promise<{ DATABASE_URL: string }> {
  return { DATABASE_URL: `sqlite:${join(await temporaryFolder(), 'data', 'plants.db')}` }
}

function tokenIn(stdout: string): string {
  const [token] = /plst_[\w-]{43}/.exec(stdout) ?? []
  if (token === undefined) throw new Error(`no token in ${stdout}`)
  return token
}

test('npm start on an empty folder prints address, token and lines that work; a restart keeps the plant', async () => {
  const environment = { ...(await newDatabase()), LOG_LEVEL: 'info' }
  const npmStart = ['npm', 'start', '--silent'] as const
  const first = await start(environment, npmStart)
  const token = tokenIn(first.stdout())
  expect(first.stdout().split('\n').slice(0, 3)).toEqual([
    `Plant Store  ${first.origin}`,
    `Docs         ${first.origin}/docs`,
    `Token        ${token}`,
  ])
  expect((await fetch(`${first.origin}/docs`)).status).toBe(200)

  const lines = first.stdout().match(/curl .*/g) ?? []
  expect(lines).toHaveLength(2)
  const answers: string[] = []
  for (const line of lines) answers.push((await run('bash', ['-c', `${line} --silent --show-error`])).stdout)
  expect(answers).toEqual([
    '{"name":"Monstera deliciosa","tag":"indoor"}',
    '[{"name":"Monstera deliciosa","tag":"indoor"}]',
  ])

  await first.end('SIGTERM')
  expect(await first.ended).toBe(0)
  expect(first.stderr()).toContain('"operation":"createPlant"')
  expect(first.stderr()).not.toContain(token.slice(5))

  const second = await start(environment, npmStart)
  expect(second.stdout()).not.toContain('plst_')
  const list = await fetch(`${second.origin}/plants`, { headers: { authorization: `Bearer ${token}` } })
  expect(await list.text()).toBe('[{"name":"Monstera deliciosa","tag":"indoor"}]')
})

test.each(['SIGTERM', 'SIGINT', 'SIGQUIT'] as const)(
  '%s ends the server with exit code 0, once the request that it has begun is answered',
  async (signal) => {
    const server = await start(await newDatabase())
    const body = '{"id":1,"name":"a"}'
    const head =
      `POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tokenIn(server.stdout())}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${String(body.length)}\r\nExpect: 100-continue\r\n\r\n`
    const untilBegun = async (received: () => string) => {
      while (!received().startsWith('HTTP/1.1 100 ')) await new Promise((resolve) => setTimeout(resolve, 2))
      server.child.kill(signal)
      const readiness = () =>
        fetch(`${server.origin}/readyz`, { headers: { connection: 'close' } }).then(
          ({ status }) => status,
          () => 'nobody there',
        )
      await expect.poll(readiness).not.toBe(200)
    }
    const [, response] = await exchange(server.origin, head, untilBegun, body)
    expect(response).toMatchObject({ status: 200, text: '{"name":"a"}' })
    expect(await server.ended).toBe(0)
  },
)

test('a server that others can reach prints no token', async () => {
  const server = await start({ ...(await newDatabase()), HOST: '0.0.0.0' })
  expect(server.stdout()).not.toContain('plst_')
  expect(server.stdout()).toContain('npm run token -- issue')
})

test('a bad variable stops the start with one line that names it', async () => {
  const environment = await newDatabase()
  // The values of each variable that are refused: test/config/config.test.ts.
  await expectRefusedStart({ ...environment, PORT: '65536' }, /PORT .*65535.*"65536"/)
  const several = { PORT: 'x', BODY_LIMIT: 'y', DATABASE_URL: 'mysql://me:secret@127.0.0.1/plants' }
  await expectRefusedStart(several, /^(?!.*secret)(?=.*PORT )(?=.*BODY_LIMIT )(?=.*DATABASE_URL )/)
})

test('a file that is no database stops the start with one line and stays as it was', async () => {
  const file = join(await temporaryFolder(), 'notes.txt')
  await writeFile(file, 'my notes')
  await expectRefusedStart({ DATABASE_URL: `sqlite:${file}` }, /notes\.txt is not an SQLite database/)
  expect(await readFile(file, 'utf8')).toBe('my notes')
})

test('a port that is taken stops the start with one line, and no token is issued', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  // A server that listens on TCP has an address with a port.
  const { port } = other.address() as { port: number }
  const environment = await newDatabase()
  await expectRefusedStart(
    { ...environment, PORT: String(port) },
    new RegExp(`PORT ${String(port)}: the port is taken; stop the program that has it, or choose another port\n$`),
  )
  expect(tokenIn((await start(environment)).stdout())).toMatch(/^plst_/)
})

test.each([
  ['an address of another machine', '192.0.2.1', 'this machine does not have the address, or not yet'],
  ['a name that there is not', 'plants.invalid', '(?:the name has no address; .*|the name server does not answer)'],
])('%s as HOST stops the start with one line', async (_description, host, reason) => {
  await expectRefusedStart(
    { ...(await newDatabase()), HOST: host, PORT: '0' },
    new RegExp(`HOST ${host}, PORT 0: ${reason}$`, 'm'),
  )
})

async function expectRefusedStart(environment: Record<string, string>, message: RegExp): Promise<void> {
  const { code, stdout, stderr } = await runScript('src/main.ts', [], environment)
  expect({ code, stdout, lines: stderr.trimEnd().split('\n').length }).toEqual({ code: 1, stdout: '', lines: 1 })
  expect(stderr).toMatch(message)
  expect(stderr).toMatch(/^plant-store: /)
}
