import { execFileSync } from 'node:child_process'
import { closeSync, constants, createReadStream, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { servedDatabase } from '../../support/server/served-database.ts'
import { temporaryFolder } from '../../support/server/start-app.ts'
import { startInTerminal } from '../../support/server/start-in-terminal.ts'
import { type ServerProcess, nodeBinary, projectFolder } from '../../support/server/start-process.ts'

const main = join(projectFolder, 'src/main.ts')

/** Starts the server from a shell, so that its standard streams are what the shell makes them. */
function withStreams(redirections: string, ...names: string[]): [string, ...string[]] {
  return ['bash', '-c', `exec "$0" "$1" ${redirections}`, nodeBinary, main, ...names]
}

/** Sends requests that nothing matches, each of which is logged with its long path. @returns how many */
async function sendLong({ origin }: Pick<ServerProcess, 'origin'>, requests: number): Promise<number> {
  for (let sent = 0; sent < requests; sent++)
    expect((await fetch(`${origin}/nowhere/${'x'.repeat(8_000)}`)).status).toBe(404)
  return requests
}

function linesOf(text: string): { msg: string; lost?: number; status?: number }[] {
  // Every line is whole, though several writes may have been needed for it.
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { msg: string; lost?: number; status?: number })
}

/** Every request has its line, or is counted as lost. */
function expectAccounted(text: string, requests: number): void {
  const lines = linesOf(text)
  const lost = lines.reduce((sum, line) => sum + (line.lost ?? 0), 0)
  expect(lost).toBeGreaterThan(0)
  expect(lines.filter(({ status }) => status === 404).length + lost).toBe(requests)
}

const lostLines = 'log lines were lost, because standard error could not be written'

/** Says it without the text, which is too long to be printed where a test fails. */
function isTold(text: string, words: string): boolean {
  return text.includes(words)
}

function pipeIn(folder: string): string {
  const pipe = join(folder, 'log')
  execFileSync('mkfifo', [pipe])
  return pipe
}

/** Opens a pipe for reading, so that somebody may open it for writing. Nothing is read yet. */
function openReader(pipe: string): number {
  return openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
}

/** What a pipe holds now. */
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

test.each([
  ['on a full disk', '2>/dev/full'],
  ['at a closed descriptor', '2>&-'],
  ['into a pipe whose reader is gone', '2> >(exit 0)'],
])('a log %s ends neither the service nor its orderly stop', async (_description, redirections) => {
  const { serve } = await servedDatabase()
  const server = await serve({ LOG_LEVEL: 'info' }, withStreams(redirections))
  await sendLong(server, 150)
  expect(await server.create(1)).toBe(200)
  expect(await server.names()).toEqual(['1'])
  await server.end('SIGTERM')
  expect(await server.ended).toBe(0)
})

test('lines that do not fit into the log file are kept up to 1 MiB or counted, and told once they fit', async () => {
  const log = join(await temporaryFolder(), 'log')
  const { serve } = await servedDatabase()
  const server = await serve({ LOG_LEVEL: 'info' }, withStreams('2>"$2"', log))
  let requests = await sendLong(server, 1)
  await expect.poll(() => isTold(readFileSync(log, 'utf8'), 'nowhere')).toBe(true)
  // The soft limit on the size of a file, which needs no privilege. It lies in the middle of a line.
  const limit = (size: string) => execFileSync('prlimit', ['--pid', String(server.child.pid), `--fsize=${size}:`])
  limit(String(statSync(log).size + 100))
  requests += await sendLong(server, 200)
  limit('unlimited')
  await expect.poll(() => isTold(readFileSync(log, 'utf8'), `${lostLines}: EFBIG`)).toBe(true)
  requests += await sendLong(server, 1)
  await server.end('SIGTERM')
  expect(await server.ended).toBe(0)
  expectAccounted(readFileSync(log, 'utf8'), requests)
})

test('a reader of the log that stalls holds nothing up, and is told what it missed when it reads again', async () => {
  const pipe = pipeIn(await temporaryFolder())
  const reader = openReader(pipe)
  const { serve } = await servedDatabase()
  const server = await serve({ LOG_LEVEL: 'info' }, withStreams('2>"$2"', pipe))
  const requests = await sendLong(server, 250)
  expect(await server.create(1)).toBe(200)
  let text = ''
  const seen = () => (text += drain(reader))
  await expect.poll(() => isTold(seen(), `${lostLines}: EAGAIN`), { interval: 5, timeout: 10_000 }).toBe(true)
  await server.end('SIGTERM')
  expect(await server.ended).toBe(0)
  text = seen()
  closeSync(reader)
  expectAccounted(text, requests)
  expect(linesOf(text).at(-1)?.msg).toBe('stopping')
})

test('a reader that is gone for a while finds what was kept, and how much was lost', async () => {
  const pipe = pipeIn(await temporaryFolder())
  let reader = openReader(pipe)
  const { serve } = await servedDatabase()
  const server = await serve({ LOG_LEVEL: 'info' }, withStreams('2>"$2"', pipe))
  await expect.poll(() => drain(reader)).toContain('listening')
  closeSync(reader)
  const requests = await sendLong(server, 200)
  reader = openReader(pipe)
  onTestFinished(() => {
    closeSync(reader)
  })
  let text = ''
  await expect
    .poll(() => isTold((text += drain(reader)), `${lostLines}: EPIPE`), { interval: 5, timeout: 10_000 })
    .toBe(true)
  expectAccounted(text, requests)
})

test('at the stop a reader that is slow still gets every line', async () => {
  const pipe = pipeIn(await temporaryFolder())
  const reader = openReader(pipe)
  const { serve } = await servedDatabase()
  const server = await serve({ LOG_LEVEL: 'info' }, withStreams('2>"$2"', pipe))
  // More than a pipe holds, less than is kept.
  const requests = await sendLong(server, 30)
  server.child.kill('SIGTERM')
  let text = ''
  for await (const piece of createReadStream(pipe, {
    fd: openSync(pipe, 'r'),
    encoding: 'utf8',
    highWaterMark: 16_384,
  })) {
    text += String(piece)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  closeSync(reader)
  expect(await server.ended).toBe(0)
  const lines = linesOf(text)
  expect(lines.filter(({ status }) => status === 404)).toHaveLength(requests)
  expect(lines.at(-1)?.msg).toBe('stopping')
})

test('a reader that reads no more does not keep the server from stopping', async () => {
  const pipe = pipeIn(await temporaryFolder())
  const reader = openReader(pipe)
  const { serve } = await servedDatabase()
  const server = await serve({ LOG_LEVEL: 'info' }, withStreams('2>"$2"', pipe))
  await sendLong(server, 30)
  await server.end('SIGTERM')
  expect(await server.ended).toBe(0)
  closeSync(reader)
})

/** Makes an error in the server that nothing handles, at SIGUSR2. */
const faultScript = encodeURIComponent(`process.once('SIGUSR2',()=>{throw new Error('a fault')})`)
const fault = { NODE_OPTIONS: `--import=data:text/javascript,${faultScript}` }

test('an error that nobody handles is in the log, and ends the server, which closes its database first', async () => {
  const { file, serve } = await servedDatabase()
  const server = await serve({ LOG_LEVEL: 'fatal', ...fault })
  expect(await server.create(1)).toBe(200)
  await server.end('SIGUSR2')
  expect(await server.ended).toBe(1)
  const [line, ...others] = linesOf(server.stderr())
  expect(line).toMatchObject({
    level: 60,
    err: { message: 'a fault' },
    msg: 'stopping after an error that nobody handled',
  })
  expect(others).toEqual([])
  expect(existsSync(`${file}-wal`)).toBe(false)
})

test('an error that nobody handles ends the server in the same order where the log cannot be written', async () => {
  const { file, serve } = await servedDatabase()
  const server = await serve({ LOG_LEVEL: 'info', ...fault }, withStreams('2>/dev/full'))
  await server.end('SIGUSR2')
  expect(await server.ended).toBe(1)
  expect(existsSync(`${file}-wal`)).toBe(false)
})

/** The log is on the terminal. To a session without one, which is the server's, the kernel sends no SIGHUP. */
const logOnTerminal = 'setsid $SERVER >"$SAID" </dev/null & echo $! >"$PID"; wait'

test('a terminal that is gone and sends no signal costs lines of the log alone', async () => {
  const { terminal, origin, token, pid, isAlive } = await startInTerminal(logOnTerminal)
  const gone = once(terminal, 'close')
  terminal.kill('SIGKILL')
  await gone
  await sendLong({ origin }, 3)
  const list = await fetch(`${origin}/plants`, { headers: { authorization: `Bearer ${token}` } })
  expect(list.status).toBe(200)
  process.kill(pid, 'SIGTERM')
  await expect.poll(isAlive, { timeout: 10_000 }).toBe(false)
})

test('a terminal that is stopped holds nothing up', async () => {
  const { origin, pid, isAlive } = await startInTerminal(logOnTerminal, 'pipe')
  await sendLong({ origin }, 100)
  process.kill(pid, 'SIGTERM')
  await expect.poll(isAlive, { timeout: 10_000 }).toBe(false)
})

test('standard output that cannot be written ends no start, and the log says that nothing was printed', async () => {
  const { serve } = await servedDatabase()
  // What it says goes to the test's pipe as well, which tells that it listens.
  const server = await serve({ LOG_LEVEL: 'info' }, [
    'bash',
    '-c',
    `exec 3>&1
    "$0" "$1" 2> >(tee >(sed -un 's/.*listening at \\([^"]*\\)".*/Plant Store  \\1\\nToken        -/p' >&3) >&2) \\
      >/dev/full &
    trap 'kill $!' TERM; wait; wait $!`,
    nodeBinary,
    main,
  ])
  await expect.poll(server.stderr).toContain('standard output cannot be written (ENOSPC')
  expect(await server.create(1)).toBe(200)
  await server.end('SIGTERM')
  expect(await server.ended).toBe(0)
})
