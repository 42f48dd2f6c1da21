import { writeFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, truncate } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { once } from 'node:events'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { create, message, together, tokens } from '../requests/request.ts'
import type { DatabaseServer } from './database.ts'
import { exchange } from './exchange.ts'
import { normalLines, normalText } from './normal-text.ts'
import { type Outcome, runCommand, startService } from './service.ts'

/** Bad values of each variable of the configuration. One start names all that are bad. */
const badValues: Readonly<Record<string, readonly string[]>> = {
  HOST: ['not a host', '127.0.0.1/8', 'http://localhost', ' ', '127.0.0.1\n', 'https://me:hunter2@plants.example'],
  PORT: ['-1', '65536', '3000.0', '3e3', '0x50', ' 80', '080', '+80', 'http', 'NaN', '9'.repeat(20), 'me:x@y'],
  LOG_LEVEL: ['loud', 'INFO', '30', 'info ', 'a@b'],
  BODY_LIMIT: ['0', '-1', '1073741825', '64k', '1e6', '0.5', 'Infinity', 'a@b'],
  RATE_LIMIT: ['0', '-5', '2147483648', '10/s', 'none', '1.5'],
  REUSE_PORT: ['2', 'true', 'yes', '-1', '00'],
  MAX_CONNECTIONS: ['0', '1000001', 'many'],
  REQUEST_TIMEOUT: ['0', '3601', '20s'],
  KEEP_ALIVE_TIMEOUT: ['0', '3601', '0.5'],
  SHUTDOWN_DELAY: ['-1', '3601', 'soon', '10', '3600'],
  SHUTDOWN_GRACE: ['0', '3601', 'x', '', '1'],
  TRUST_PROXY: ['true', '1', '10.0.0.0/33', '::1/129', 'proxy.example', '10.0.0.1,', '*', 'a@b'],
  CORS_ORIGIN: [
    'plants.example',
    'https://plants.example/',
    'https://a.example,*',
    'https://a.example,',
    'null',
    'https://*.example/x',
  ],
  METRICS_PORT: ['-1', '65536', 'on'],
  METRICS_HOST: ['not a host'],
  DATABASE_URL: [
    ...[
      'plants.db',
      'sqlite:',
      'sqlite',
      'mysql://me:hunter2@db/plants',
      'postgres:me:hunter2@db',
      'postgres://me:hunter2@db:port/plants',
    ],
    ...[
      'SQLITE:plants.db',
      ' sqlite:plants.db',
      'sqlite:plants.db ',
      'sqlite: plants.db',
      'sqlite: ',
      'sqlite::memory:',
    ],
  ],
  AUTH_JWKS_URL: [
    'http://id.example/jwks',
    'ftp://id.example/jwks',
    'https://',
    'https://me:hunter2@id.example/jwks',
    'http://:x@127.0.0.1/',
    '',
    'x',
  ],
  AUTH_ISSUER: ['', 'a b', 'a'.repeat(513), 'https://me:hunter2@id.example x', 'https://id.example', '', ''],
  AUTH_AUDIENCE: ['a', 'a', 'a', ' ', '', 'a', ''],
}

const rows = Math.max(...Object.values(badValues).map(({ length }) => length))

/**
 * Takes steps, as many at a time as there are processors, and waits for all of them.
 *
 * @throws what the first bad step threw
 */
export async function inTurns(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  const waiting = [...steps]
  const work = async (): Promise<void> => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) await step()
  }
  const results = await Promise.allSettled(Array.from({ length: availableParallelism() }, work))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

type Variables = Readonly<Record<string, string>>

/** What the process says at its start and the commands of an operator print, by a name for each. */
export async function outputOfCommands(postgres: DatabaseServer): Promise<Record<string, string[]>> {
  const folder = await mkdtemp(join(tmpdir(), 'golden-'))
  const outputs: Record<string, string[]> = {}
  const at = (name: string) => join(folder, name)
  const sqlite = (name: string): Variables => ({ DATABASE_URL: `sqlite:${at(name)}` })
  const note = (name: string, { code, stdout, stderr }: Outcome) => {
    if (name in outputs) throw new Error(`two commands have the name ${name}; change one`)
    const printed = normalText(stdout, folder).split('\n')
    const lines = [`exit code ${String(code)}`, ...printed, '(standard error)', ...normalLines(stderr, folder)]
    outputs[name] = lines.filter((line) => line !== '')
  }
  const run = (name: string, script: string, parameters: readonly string[], environment: Variables) => async () => {
    note(name, await runCommand(script, parameters, { environment }))
  }

  const [own, away, empty] = await Promise.all([postgres.newDatabase(), postgres.newDatabase(), postgres.newDatabase()])
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  // The address of a server that listens on a port is an object.
  const port = String((taken.address() as AddressInfo).port)
  try {
    await makeDatabases(at, note)
    await away.takeAway()
    const plants = sqlite('plants.db')
    const start = (name: string, environment: Variables) =>
      run(`start: ${name}`, 'start', [], { PORT: '0', LOG_LEVEL: 'warn', ...environment })
    const token = (...parameters: string[]) => run(`token: ${shown(parameters)}`, 'token', parameters, plants)
    await inTurns([
      ...Array.from({ length: rows }, (_, row) => start(`bad variables ${String(row + 1)}`, badVariables(row))),
      start('a delay that is too long', { SHUTDOWN_DELAY: '10' }),
      start('an identity provider without the rest', { AUTH_ISSUER: 'x' }),
      start('a port that is taken', { ...sqlite('new.db'), PORT: port }),
      start('a port of the metrics that is taken', { ...sqlite('new.db'), METRICS_PORT: port }),
      start('an address of another machine', { ...sqlite('new.db'), HOST: '192.0.2.1' }),
      start('a text as a database', sqlite('notes.txt')),
      start('a folder as a database', sqlite('folder')),
      start('a database of another program', sqlite('other.db')),
      start('a database of the future', sqlite('future.db')),
      start('a database that is cut short', sqlite('short.db')),
      start('a database without its log', sqlite('alone.db')),
      start('a database below a file', sqlite('notes.txt/plants.db')),
      start('a server that is not there', { DATABASE_URL: `postgres://postgres@127.0.0.1:1/plants` }),
      start('a database that is not there', { DATABASE_URL: own.url.replace(own.folder, 'nowhere') }),
      start('a database that takes no sessions', { DATABASE_URL: away.url }),
      token(),
      token('make', 'alice'),
      token('issue'),
      token('issue', 'alice', 'bob'),
      token('issue', ''),
      token('issue', 'a'.repeat(256)),
      token('issue', 'alice\nbob'),
      token('issue', 'jwt:alice'),
      token('issue', 'alice', '--for', '1d'),
      token('issue', 'alice', '--ttl'),
      token('issue', 'alice', '--ttl', '30'),
      token('issue', 'alice', '--ttl', '36501d'),
      token('issue', 'alice', '--scope', ''),
      token('issue', 'alice', '--scope', 'plants read'),
      token('issue', 'alice', '--ttl', '1d', '--ttl=2d'),
      token('list', 'alice'),
      token('list', '--ttl', '1d'),
      token('revoke'),
      token('revoke', `plst_${'x'.repeat(43)}`),
      token('revoke', ''),
      token('--help'),
      run('token: list where there is no database', 'token', ['list'], sqlite('nowhere/plants.db')),
      run('token: list of a text', 'token', ['list'], sqlite('notes.txt')),
      run('token: list with bad variables', 'token', ['list'], { DATABASE_URL: 'oracle:x', PORT: 'x' }),
      run('token: list of a database that takes no sessions', 'token', ['list'], { DATABASE_URL: away.url }),
      run('token: issue on PostgreSQL', 'token', ['issue', 'alice'], { DATABASE_URL: empty.url }),
      ...backups(at, run, plants, own.url),
    ])
    await moves(at, run, own.url)
  } finally {
    taken.close()
    await Promise.all([own.remove(), away.bringBack().then(away.remove), empty.remove()])
    await rm(folder, { recursive: true, force: true })
  }
  return Object.fromEntries(Object.entries(outputs).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

function badVariables(row: number): Variables {
  const bad = Object.entries(badValues).map(([name, values]) => [name, values[row] ?? ''] as const)
  return Object.fromEntries(bad)
}

function shown(parameters: readonly string[]): string {
  return JSON.stringify(
    parameters.map((each) => (each.length > 60 ? `${each.slice(0, 10)}… (${String(each.length)})` : each)),
  )
}

/**
 * Starts a server for the first time, creates plants in its database, and makes files that are no databases.
 *
 * @param note receives what the server and the commands beside it have printed
 */
async function makeDatabases(
  at: (name: string) => string,
  note: (name: string, outcome: Outcome) => void,
): Promise<void> {
  const environment = { DATABASE_URL: `sqlite:${at('new/plants.db')}`, LOG_LEVEL: 'warn', SHUTDOWN_DELAY: '0' }
  const warned = { METRICS_HOST: '::1', TRUST_PROXY: '127.0.0.1' }
  const service = await startService({ ...environment, ...warned })
  const token = /^Token +(\S+)$/m.exec(service.output().stdout)?.[1] ?? ''
  const creations = ['1', '-5', '9007199254740993'].map((id, index) =>
    create(`{"id":${id},"name":"plant ${id}"}`, { isLast: index === 2 }),
  )
  await exchange(service.port, together('', ...creations), new Map([[tokens.own, token]]))
  const command = async (name: string, script: string, ...parameters: string[]) => {
    note(name, await runCommand(script, parameters, { environment }))
  }
  // The use of a token is recorded a little later.
  while (!(await runCommand('token', ['list'], { environment })).stdout.includes('last used')) await delay(50)
  await command('running: backup', 'backup', at('backup.db'))
  await command('running: restore over it', 'restore', at('backup.db'), '--force')
  await command('running: token list', 'token', 'list')
  await command('running: token revoke', 'token', 'revoke', token)
  await command('running: token list of none', 'token', 'list')
  await command(
    'running: token issue',
    'token',
    'issue',
    'alice',
    '--ttl',
    '30d',
    '--scope',
    'plants:read,plants:write',
  )
  await command('running: token list of one', 'token', 'list')
  await command('running: a second server', 'start')
  await exchange(service.port, together('', message({ target: '/livez' })), new Map())
  service.stop()
  note('running: the server', await service.ended)
  await cp(at('new/plants.db'), at('plants.db'))
  writeFileSync(at('notes.txt'), 'my notes')
  await mkdir(at('folder'))
  await cp(at('plants.db'), at('future.db'))
  change(at('future.db'), 'PRAGMA user_version = 99')
  change(at('other.db'), 'CREATE TABLE a (b)')
  await cp(at('plants.db'), at('short.db'))
  await truncate(at('short.db'), 6_000)
  await cp(at('plants.db'), at('alone.db'))
  writeFileSync(at('alone.db-shm'), '')
}

function change(file: string, statement: string): void {
  const database = new DatabaseSync(file)
  database.exec(statement)
  database.close()
}

type Run = (name: string, script: string, parameters: readonly string[], environment: Variables) => () => Promise<void>

function backups(at: (name: string) => string, run: Run, plants: Variables, url: string): (() => Promise<void>)[] {
  const to = (name: string): Variables => ({ DATABASE_URL: `sqlite:${at(name)}` })
  return [
    run('backup: no file', 'backup', [], plants),
    run('backup: two files', 'backup', ['a', 'b'], plants),
    run('backup: an unknown option', 'backup', ['--force', at('c.db')], plants),
    run('backup: a file that is there', 'backup', [at('notes.txt')], plants),
    run('backup: into no folder', 'backup', [at('nowhere/c.db')], plants),
    run('backup: of PostgreSQL', 'backup', [at('c.db')], { DATABASE_URL: url }),
    run('backup: of no database', 'backup', [at('c.db')], to('nowhere.db')),
    run('backup: of a database of another program', 'backup', [at('c.db')], to('other.db')),
    run('backup: of a text', 'backup', [at('c.db')], to('notes.txt')),
    run('backup: of a database that is cut short', 'backup', [at('c.db')], to('short.db')),
    run('backup: good', 'backup', [at('good.db')], plants),
    run('restore: no file', 'restore', [], plants),
    run('restore: two files', 'restore', ['a', 'b'], plants),
    run('restore: over a database', 'restore', [at('backup.db')], plants),
    run('restore: from no file', 'restore', [at('nowhere.db')], to('restored-1.db')),
    run('restore: from a text', 'restore', [at('notes.txt')], to('restored-2.db')),
    run('restore: from a database that is cut short', 'restore', [at('short.db')], to('restored-3.db')),
    run('restore: from a database of the future', 'restore', [at('future.db')], to('restored-4.db')),
    run('restore: over a folder', 'restore', [at('backup.db'), '--force'], to('folder')),
    run('restore: from itself', 'restore', [at('backup.db'), '--force'], to('backup.db')),
    run('restore: into PostgreSQL', 'restore', [at('backup.db')], { DATABASE_URL: url }),
    run('restore: into a new folder', 'restore', [at('backup.db')], to('restored/deep/plants.db')),
    run('move: nothing', 'move', [], {}),
    run('move: an unknown option', 'move', ['--form', 'x'], {}),
    run('move: words', 'move', ['a', 'b'], {}),
    run('move: bad places', 'move', ['--from', 'plants.db', '--to', 'oracle:x'], {}),
    run('move: from nowhere', 'move', ['--from', `sqlite:${at('nowhere.db')}`, '--to', url], {}),
    run('move: from a text', 'move', ['--from', `sqlite:${at('notes.txt')}`, '--to', url], {}),
    run(
      'move: to a server that is not there',
      'move',
      ['--from', `sqlite:${at('backup.db')}`, '--to', 'postgres://postgres@127.0.0.1:1/x'],
      {},
    ),
  ]
}

/** Moves, which depend on one another. */
async function moves(at: (name: string) => string, run: Run, url: string): Promise<void> {
  const move = (name: string, from: string, to: string) =>
    run(`move: ${name}`, 'move', ['--from', from, '--to', to], {})()
  await move('from SQLite to PostgreSQL', `sqlite:${at('backup.db')}`, url)
  await move('again', `sqlite:${at('backup.db')}`, url)
  await move('back to SQLite', url, `sqlite:${at('moved.db')}`)
  await move('over other plants', `sqlite:${at('future.db')}`, url)
  await move('into what holds other tokens', `sqlite:${at('plants.db')}`, url)
}
