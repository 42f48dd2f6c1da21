import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStore } from '../../src/store/sqlite/store.ts'
import { issueTokens } from './clients.ts'
import { type NodeOptions, type PostgresNode, startNode } from './postgres-node.ts'
import {
  type ServerCommand,
  type ServerProcess,
  serverProcessor,
  startArguments,
  startServer,
} from './server-process.ts'

/** Servers of the project and nodes of PostgreSQL in a temporary folder. All of it ends with the lab. */
export class Lab implements AsyncDisposable {
  readonly folder: string
  readonly #bin: string
  readonly #cleanup = new AsyncDisposableStack()

  private constructor(bin: string, folder: string) {
    this.#bin = bin
    this.folder = folder
    this.#cleanup.defer(() => rm(folder, { recursive: true, force: true }))
  }

  /** @param bin the folder of PostgreSQL's programs, where there are to be nodes */
  static async open(bin = ''): Promise<Lab> {
    const folder = await mkdtemp(join(tmpdir(), 'plant-store-lab-'))
    // PostgreSQL runs as another user where this is root.
    await chmod(folder, 0o755)
    return new Lab(bin, folder)
  }

  async node(name: string, options: Partial<NodeOptions> = {}): Promise<PostgresNode> {
    const node = await startNode({ bin: this.#bin, folder: this.folder, name, settings: [], ...options })
    this.#cleanup.defer(() => node.kill())
    return node
  }

  /** @param name of the server's log */
  async serve(databaseUrl: string, name: string, options: Partial<ServerCommand> = {}): Promise<ServerProcess> {
    const server = await startServer({
      arguments: startArguments,
      logFile: join(this.folder, `${name}.log`),
      processors: '0-1',
      ...options,
      environment: { DATABASE_URL: databaseUrl, LOG_LEVEL: 'warn', ...options.environment },
    })
    this.#cleanup.defer(() => server.stop())
    return server
  }

  log(name: string): Promise<string> {
    return readFile(join(this.folder, `${name}.log`), 'utf8')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cleanup.disposeAsync()
  }
}

/** The server as `npm start` runs it, on its own database in a lab of its own. */
export interface LoadedServer extends ServerProcess, AsyncDisposable {
  /** A token of the caller `me`. */
  token: string
  /** @returns the log so far */
  log: () => Promise<string>
}

/**
 * Starts the server on a new database.
 *
 * @param plants how many plants the caller has
 */
export async function startLoadedServer(
  plants: number,
  environment: Record<string, string> = {},
  nodeOptions: string[] = [],
): Promise<LoadedServer> {
  const lab = await Lab.open()
  const file = join(lab.folder, 'plants.db')
  const [{ token } = { token: '' }] = await issueTokens({ engine: 'sqlite', file }, ['me'])
  const store = openSqliteStore({ file, onFault: () => undefined })
  await Promise.all(
    Array.from({ length: plants }, (_, index) =>
      store.create('me', { id: BigInt(-1 - index), name: 'Monstera deliciosa', tag: 'indoor' }),
    ),
  )
  await store.close()
  const server = await lab.serve(`sqlite:${file}`, 'server', {
    arguments: [...nodeOptions, ...startArguments],
    environment: { LOG_LEVEL: 'info', ...environment },
    processors: serverProcessor,
  })
  return { ...server, token, log: () => lab.log('server'), [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose]() }
}
