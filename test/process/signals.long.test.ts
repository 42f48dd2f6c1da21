import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startProgram } from '../support/server/program.ts'
import { servedDatabase } from '../support/server/served-database.ts'
import { startInTerminal } from '../support/server/start-in-terminal.ts'
import { nodeBinary, projectFolder, runScript } from '../support/server/start-process.ts'

test('SIGHUP without a terminal, SIGUSR1, SIGUSR2 and SIGPIPE do not stop the server', async () => {
  const { file, serve } = await servedDatabase()
  const server = await serve({ LOG_LEVEL: 'info' })
  const signals = ['SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGPIPE'] as const
  for (const signal of [...signals, ...signals]) {
    server.child.kill(signal)
    expect(await server.names()).toEqual([])
  }
  await expect.poll(() => server.stderr().split('SIGHUP ignored').length - 1).toBe(2)
  await server.end('SIGTERM')
  expect(await server.ended).toBe(0)
  expect(server.stderr()).not.toContain('Debugger')
  expect(existsSync(`${file}-wal`)).toBe(false)
})

/**
 * Sends signals to a server that is still starting, because its database server does not respond.
 *
 * @returns its exit code and what it logged
 */
async function signalAtStart(...signals: NodeJS.Signals[]) {
  const database = createServer((socket) => {
    socket.on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void database.close())
  await once(database, 'listening')
  // A server that listens on TCP has an address with a port.
  const { port } = database.address() as AddressInfo
  const DATABASE_URL = `postgres://me@127.0.0.1:${String(port)}/plants`
  let isAsked = false
  database.once('connection', () => (isAsked = true))
  const env = { ...process.env, PORT: '0', LOG_LEVEL: 'info', DATABASE_URL }
  const server = await startProgram([nodeBinary, join(projectFolder, 'src/main.ts')], { env }, () => isAsked)
  onTestFinished(() => server.end('SIGKILL'))
  for (const signal of signals) server.child.kill(signal)
  return { code: await server.ended, stderr: server.stderr() }
}

test.each(['SIGTERM', 'SIGQUIT'] as const)(
  '%s stops a server that still waits for its database with exit code 0',
  async (signal) => {
    const { code, stderr } = await signalAtStart('SIGHUP', 'SIGUSR1', 'SIGUSR2', signal)
    expect(code).toBe(0)
    expect(stderr).toContain(`"signal":"${signal}"`)
    expect(stderr).not.toMatch(/Debugger|is not available|plant-store: /)
  },
)

test('SIGTERM before the server is loaded ends it with exit code 0', async () => {
  // Without handlers, these signals would end the process without an exit code.
  const signals = `for (const signal of ['SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGTERM']) process.kill(process.pid, signal)`
  const hooks =
    `import { registerHooks } from 'node:module'\n` +
    `registerHooks({ load(url, context, next) { if (url.endsWith('/serve.ts')) ${signals}; return next(url, context) } })`
  const preload = `--import=data:text/javascript,${encodeURIComponent(hooks)}`
  const { code, stdout } = await runScript('src/main.ts', [], { NODE_OPTIONS: preload, PORT: '0' })
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
})

test.each([
  ['takes longer than the grace', 'new Promise(() => {})', 'not stopped within 300 ms, exiting'],
  ['fails', "Promise.reject(new Error('a lost disk'))", 'a lost disk'],
])('a stop that %s ends with exit code 1 and a reason', async (_description, closing, reason) => {
  const script =
    `import { handleSignals } from '${projectFolder}/src/process/signals.ts'\n` +
    `handleSignals({ log: console, graceMilliseconds: 300, close: () => ${closing} })\n` +
    `setInterval(() => process.kill(process.pid, 'SIGTERM'), 100)`
  const { ended, stderr } = await startProgram([nodeBinary, '--input-type=module', '--eval', script], {}, () => true)
  expect(await ended).toBe(1)
  expect(stderr()).toContain(reason)
})

test('a server with a terminal stops in order when the terminal goes away', async () => {
  // The server replaces the terminal's shell, so it leads the session and gets SIGHUP.
  const { terminal, file, isAlive, said } = await startInTerminal('echo $$ >"$PID"; exec $SERVER 2>"$SAID"')
  terminal.kill('SIGKILL')
  await expect.poll(isAlive).toBe(false)
  expect(said()).toContain('"signal":"SIGHUP","msg":"stopping"')
  // SQLite has moved its log into the database and removed it.
  expect(existsSync(`${file}-wal`)).toBe(false)
})
