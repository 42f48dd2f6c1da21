import { execFileSync } from 'node:child_process'
import { closeSync, constants, existsSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { servedDatabase } from '../support/server/served-database.ts'
import { temporaryFolder } from '../support/server/start-app.ts'
import { startInTerminal } from '../support/server/start-in-terminal.ts'
import { type ServerProcess, nodeBinary, projectFolder } from '../support/server/start-process.ts'

/** Starts the server from a shell that redirects its standard streams. */
function withStreams(redirections: string, ...names: string[]): [string, ...string[]] {
  return ['bash', '-c', `exec "$0" "$1" ${redirections}`, nodeBinary, join(projectFolder, 'src/main.ts'), ...names]
}

/** Sends requests for unknown long paths, of each of which a kilobyte is logged. @returns how many */
async function sendLong({ origin }: Pick<ServerProcess, 'origin'>, requests: number): Promise<number> {
  for (let sent = 0; sent < requests; sent++)
    expect((await fetch(`${origin}/nowhere/${'x'.repeat(1_000)}`)).status).toBe(404)
  return requests
}

function linesOf(text: string): { msg: string; lost?: number; status?: number; err?: unknown }[] {
  // Every line must be complete, even if it took several writes.
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ReturnType<typeof linesOf>[number])
}

/** At SIGUSR2, the server has an unhandled error. */
const faultScript = encodeURIComponent(`process.once('SIGUSR2',()=>{throw new Error('a fault')})`)
const fault = { NODE_OPTIONS: `--import=data:text/javascript,${faultScript}` }

test.each([
  ['on a full disk', '2>/dev/full'],
  ['with a closed descriptor', '2>&-'],
  ['to a pipe without a reader', '2> >(exit 0)'],
])('a log %s does not stop the server or its shutdown', async (_description, redirections) => {
  const { file, serve } = await servedDatabase()
  const server = await serve({ LOG_LEVEL: 'info' }, withStreams(redirections))
  await sendLong(server, 160)
  expect(await server.create(1)).toBe(200)
  expect(await server.names()).toEqual(['1'])
  await server.end('SIGTERM')
  expect(await server.ended).toBe(0)
  expect(existsSync(`${file}-wal`)).toBe(false)
})

test.each([
  ['is logged and ends the server after it closes the database', undefined],
  ['ends the server in order even if the log cannot be written', withStreams('2>/dev/full')],
])('an unhandled error %s', async (_description, command) => {
  const { file, serve } = await servedDatabase()
  const server = await serve({ LOG_LEVEL: 'fatal', ...fault }, command)
  expect(await server.create(1)).toBe(200)
  await server.end('SIGUSR2')
  expect(await server.ended).toBe(1)
  expect(existsSync(`${file}-wal`)).toBe(false)
  const message = 'stopping after an unhandled error'
  const logged = { level: 60, err: { message: 'a fault' }, msg: message }
  expect(linesOf(server.stderr())).toMatchObject(command === undefined ? [logged] : [])
})

/** Starts a server whose log goes into a pipe that is not read yet. */
async function serveIntoPipe() {
  const pipe = join(await temporaryFolder(), 'log')
  execFileSync('mkfifo', [pipe])
  // A pipe can be opened for writing only after it was opened for reading.
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
  const { serve } = await servedDatabase()
  return { reader, server: await serve({ LOG_LEVEL: 'info' }, withStreams('2>"$2"', pipe)) }
}

/** Reads what a pipe holds now. */
function drain(reader: number): string {
  const pieces: Buffer[] = []
  const piece = Buffer.alloc(65_536)
  try {
    for (let length = readSync(reader, piece); length > 0; length = readSync(reader, piece))
      pieces.push(Buffer.from(piece.subarray(0, length)))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
  }
  return Buffer.concat(pieces).toString()
}

test('a stalled log reader blocks nothing, and later learns how many lines it lost', async () => {
  const { reader, server } = await serveIntoPipe()
  const requests = await sendLong(server, 2_000)
  expect(await server.create(1)).toBe(200)
  let text = ''
  const isTold = () =>
    (text += drain(reader)).includes('log lines were lost because standard error could not be written: EAGAIN')
  // A failure should not print the whole text.
  await expect.poll(isTold, { interval: 5 }).toBe(true)
  await server.end('SIGTERM')
  expect(await server.ended).toBe(0)
  const lines = linesOf(text + drain(reader))
  closeSync(reader)
  const lost = lines.reduce((sum, line) => sum + (line.lost ?? 0), 0)
  expect(lost).toBeGreaterThan(0)
  // The line of the plant is lost, or not.
  expect(lines.filter(({ status }) => status !== undefined).length + lost).toBe(requests + 1)
  expect(lines.at(-1)?.msg).toBe('stopping')
})

/** The log goes to the terminal. The server has its own session, so the kernel sends it no SIGHUP. */
const logOnTerminal = 'setsid $SERVER >"$SAID" </dev/null & echo $! >"$PID"; wait'

test('a terminal that is stopped only costs log lines', async () => {
  const { origin, token, pid, isAlive } = await startInTerminal(logOnTerminal, 'pipe')
  await sendLong({ origin }, 800)
  const list = await fetch(`${origin}/plants`, { headers: { authorization: `Bearer ${token}` } })
  expect(list.status).toBe(200)
  process.kill(pid, 'SIGTERM')
  await expect.poll(isAlive).toBe(false)
})
