import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { servedDatabase } from '../support/server/served-database.ts'
import { readColumn, runSql } from '../support/server/sqlite-file.ts'
import { temporaryFolder } from '../support/server/start-app.ts'
import { freePort, projectFolder, runScript } from '../support/server/start-process.ts'

/** Starts the real server and expects it to refuse. @returns the line that it printed */
async function refusalOf(environment: Record<string, string>, prefix?: string[]): Promise<string> {
  const { code, stdout, stderr } = await runScript(
    'src/main.ts',
    [],
    { PORT: '0', LOG_LEVEL: 'warn', ...environment },
    prefix,
  )
  expect({ code, stdout, lines: stderr.trimEnd().split('\n').length }).toEqual({ code: 1, stdout: '', lines: 1 })
  expect(stderr).toMatch(/^plant-store: /)
  return stderr
}

test('an older Node.js stops the start with one line', async () => {
  const folder = await temporaryFolder()
  writeFileSync(join(folder, 'node'), '#!/bin/sh\necho v22.21.1\n', { mode: 0o755 })
  const path = `${folder}:${process.env['PATH'] ?? ''}`
  const { status, stdout, stderr } = spawnSync(join(projectFolder, 'scripts/start.sh'), {
    env: { ...process.env, PATH: path },
  })
  expect({ status, stdout: String(stdout), stderr: String(stderr) }).toEqual({
    status: 1,
    stdout: '',
    stderr: 'plant-store: needs Node.js 24 or later; this is v22.21.1\n',
  })
})

const noAddress = /plants\.invalid, PORT 0: (?:the host name has no address; .*|the name server does not answer; .*)$/m

test.each<[string, Record<string, string>, RegExp]>([
  [
    'an address of another machine',
    { HOST: '192.0.2.1' },
    /this machine does not have the address; choose one that it has$/m,
  ],
  ['a host name that does not exist', { HOST: 'plants.invalid' }, noAddress],
])('%s stops the start with one line', async (_description, environment, message) => {
  const DATABASE_URL = `sqlite:${join(await temporaryFolder(), 'plants.db')}`
  expect(await refusalOf({ DATABASE_URL, ...environment })).toMatch(message)
})

test.each([
  ['for the service', 'PORT', 'HOST 127.0.0.1, PORT'],
  ['for the metrics', 'METRICS_PORT', 'METRICS_HOST 127.0.0.1, METRICS_PORT'],
])('a port in use %s stops the start with one line, and no token is issued', async (_what, name, place) => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  // A server that listens on TCP has an address with a port.
  const port = String((taken.address() as AddressInfo).port)
  const file = join(await temporaryFolder(), 'new folder', 'plants.db')
  expect(await refusalOf({ DATABASE_URL: `sqlite:${file}`, METRICS_PORT: '0', [name]: port })).toBe(
    `plant-store: cannot listen at ${place} ${port}: ` +
      'the port is in use; stop the other program, or choose another port\n',
  )
  taken.close()
  // The metrics listen before the store is opened.
  expect(existsSync(file) ? tokensIn(file) : 0).toBe(0)
})

test('METRICS_PORT equal to PORT stops the start with one line', async () => {
  const DATABASE_URL = `sqlite:${join(await temporaryFolder(), 'plants.db')}`
  const port = String(await freePort())
  expect(await refusalOf({ DATABASE_URL, PORT: port, METRICS_PORT: port })).toBe(
    `plant-store: cannot listen at HOST 127.0.0.1, PORT ${port}: ` +
      'METRICS_PORT is the same port; choose another for one of them\n',
  )
})

const tokensIn = (file: string) => readColumn(file, 'SELECT hash FROM tokens').length

/** Kills a command that hangs while it opens a pipe; other signals would not end it. */
const killedIfStuck = ['timeout', '--signal=KILL', '10']

test.each([
  ['a link to a named pipe', 'mkfifo pipe && ln -s pipe plants.db'],
  [
    'a socket',
    `${process.execPath} -e "require('net').createServer().listen('plants.db', () => process.kill(process.pid, 'SIGKILL'))"`,
  ],
])('%s is refused at once', async (_what, command) => {
  const folder = await temporaryFolder()
  execFileSync('sh', ['-c', `${command}; test -e plants.db`], { cwd: folder })
  expect(await refusalOf({ DATABASE_URL: `sqlite:${folder}/plants.db` }, killedIfStuck)).toBe(
    `plant-store: ${folder}/plants.db is a pipe, a socket or a device; name a file; nothing was changed\n`,
  )
})

test('every command refuses a named pipe at once', async () => {
  const folder = await temporaryFolder()
  const file = join(folder, 'plants.db')
  execFileSync('mkfifo', [file])
  const { file: other, url } = await servedDatabase()
  const DATABASE_URL = `sqlite:${file}`
  const stderr = `${file} is a pipe, a socket or a device; name a file; nothing was changed\n`
  const commands: [string, string[], string?][] = [
    ['token.ts', ['list']],
    ['backup.ts', [join(folder, 'copy.db')]],
    ['restore.ts', [other, '--force']],
    ['restore.ts', [file], url],
    ['move/move.ts', ['--from', DATABASE_URL, '--to', url]],
    ['move/move.ts', ['--from', url, '--to', DATABASE_URL]],
  ]
  for (const [script, parameters, database = DATABASE_URL] of commands) {
    const result = await runScript(`scripts/${script}`, parameters, { DATABASE_URL: database }, killedIfStuck)
    expect({ script, ...result }).toEqual({ script, code: 1, stdout: '', stderr })
  }
})

/** Damages a page in the middle. */
function damage(file: string): void {
  const bytes = readFileSync(file)
  bytes.fill(0xff, 10 * 4_096, 10 * 4_096 + 200)
  writeFileSync(file, bytes)
}

test('a refused start keeps the write-ahead log of a damaged database', async () => {
  const { file, serve } = await servedDatabase()
  runSql(
    file,
    `WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < 2000)
     INSERT INTO plants (caller, id, name) SELECT 'someone', id, 'Monstera' FROM ids`,
  )
  const server = await serve()
  expect(await server.create(1)).toBe(200)
  await server.end('SIGKILL')
  damage(file)
  const [bytes, log] = [readFileSync(file), readFileSync(`${file}-wal`)]
  expect(log.length).toBeGreaterThan(0)
  expect(await refusalOf({ DATABASE_URL: `sqlite:${file}` })).toMatch(
    /is damaged \(.*\); docs\/operating\.md says how to save the rest/,
  )
  expect(readFileSync(file).equals(bytes)).toBe(true)
  expect(readFileSync(`${file}-wal`).equals(log)).toBe(true)
})

/** Runs a command of root so that permissions apply to it. */
const boundByPermissions = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : []

test('a read-only folder or file is refused in one line and left unchanged', async () => {
  const folder = await temporaryFolder()
  mkdirSync(join(folder, 'locked'))
  chmodSync(join(folder, 'locked'), 0o555)
  const file = join(folder, 'plants.db')
  cpSync((await servedDatabase()).file, file)
  chmodSync(file, 0o444)
  const bytes = readFileSync(file)
  for (const [path, message] of [
    [join(folder, 'locked', 'plants.db'), /permission denied|unable to open database file/i],
    [file, /permission denied/],
  ] as const) {
    expect(await refusalOf({ DATABASE_URL: `sqlite:${path}` }, boundByPermissions)).toMatch(message)
  }
  expect(existsSync(join(folder, 'locked', 'plants.db'))).toBe(false)
  expect(readFileSync(file).equals(bytes)).toBe(true)
})
