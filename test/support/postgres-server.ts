import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadEmbeddedPostgres } from './reachable-postgres.ts'

/** A PostgreSQL server of the tests' own, with a database in a temporary folder. */
export interface PostgresServer {
  url: string
  /** Ends the server as its operator would; what is stored stays. */
  stop: () => Promise<void>
  /** Starts it again where it was. */
  start: () => Promise<void>
  /** Ends the server and removes its database. */
  remove: () => Promise<void>
}

const settings = ['fsync=off', 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200']

/** Starts the PostgreSQL that comes as npm packages. Run as root, it makes the user `postgres` where there is none, for PostgreSQL refuses root. */
export async function startPostgres(): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-postgres-'))
  const port = await freePort()
  const output: string[] = []
  const { EmbeddedPostgres, remove: removeCopy } = await loadEmbeddedPostgres()
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    // Quicker than a handshake with SCRAM for each of the tests' many connections.
    authMethod: 'password',
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    postgresFlags: settings.flatMap((setting) => ['-c', setting]),
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
    stop: () => server.stop(),
    start,
    remove: async () => {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
      await removeCopy()
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  return address.port
}
