import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { servedDatabase } from '../support/server/served-database.ts'
import { temporaryFolder } from '../support/server/start-app.ts'
import { runScript } from '../support/server/start-process.ts'

/** Starts the real server, which is expected to refuse. @returns its one line */
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

const noAddress = /plants\.invalid, PORT 0: (?:the host name has no address; .*|the name server does not answer; .*)$/m

test.each<[string, Record<string, string>, RegExp]>([
  [
    'an address of another machine',
    { HOST: '192.0.2.1' },
    /this machine does not have the address; choose one that it has$/m,
  ],
  ['a name that there is not', { HOST: 'plants.invalid' }, noAddress],
])('%s stops the start with one line', async (_description, environment, message) => {
  const DATABASE_URL = `sqlite:${join(await temporaryFolder(), 'plants.db')}`
  expect(await refusalOf({ DATABASE_URL, ...environment })).toMatch(message)
})

test.each([
  ['for the service', 'PORT', 'HOST 127.0.0.1, PORT'],
  ['for the metrics', 'METRICS_PORT', 'METRICS_HOST 127.0.0.1, METRICS_PORT'],
])('a port that is taken %s stops the start with one line, and no token is issued', async (_what, name, place) => {
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
  const database = new Database(file)
  expect(database.prepare('SELECT count(*) FROM tokens').pluck().get()).toBe(0)
  database.close()
})

/** Spoils a page in the middle. */
function damage(file: string): void {
  const bytes = readFileSync(file)
  bytes.fill(0xff, 10 * 4_096, 10 * 4_096 + 200)
  writeFileSync(file, bytes)
}

test('the log that a killed server left beside a database that is damaged stays for whoever repairs it', async () => {
  const { file, serve } = await servedDatabase()
  const many = new Database(file)
  many.exec(
    `WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < 2000)
     INSERT INTO plants (caller, id, name) SELECT 'someone', id, 'Monstera deliciosa' FROM ids`,
  )
  many.close()
  const server = await serve()
  expect(await server.create(1)).toBe(200)
  await server.end('SIGKILL')
  damage(file)
  const [bytes, log] = [readFileSync(file), readFileSync(`${file}-wal`)]
  expect(log.length).toBeGreaterThan(0)
  expect(await refusalOf({ DATABASE_URL: `sqlite:${file}` })).toMatch(
    /is damaged \(.*\); restore a backup; nothing was changed/,
  )
  expect(readFileSync(file).equals(bytes)).toBe(true)
  expect(readFileSync(`${file}-wal`).equals(log)).toBe(true)
})

/** Permissions do not bind root, unless it runs a command without the capabilities to pass them over. */
const boundByPermissions = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : []

test('a folder or a file that may not be written is refused in one line, and every byte stays', async () => {
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
