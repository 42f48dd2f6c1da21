import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseLocation } from '../../src/store/location.ts'
import { openStore } from '../../src/store/open-store.ts'
import { issueTokens } from '../../test/support/server/issue-tokens.ts'
import {
  type NodeOptions,
  type PostgresNode,
  startNode,
  startPostgres,
} from '../../test/support/server/postgres-node.ts'
import {
  type Command,
  type ServerProcess,
  startCommand,
  startProcess,
} from '../../test/support/server/start-process.ts'

/** The processors of measured servers and of the load generator. */
const processors = { server: '0', load: '1' }

/** @returns a command that runs on one processor; taskset(1) keeps the process id */
export function pinned(processor: keyof typeof processors, command: readonly string[]): Command {
  return ['taskset', '-c', processors[processor], ...command]
}

/** Servers of the project and PostgreSQL nodes in a temporary folder. Disposing ends them and removes the folder. */
export class Lab implements AsyncDisposable {
  readonly folder: string
  readonly #bin: string
  readonly #cleanup = new AsyncDisposableStack()

  private constructor(bin: string, folder: string) {
    this.#bin = bin
    this.folder = folder
    this.#cleanup.defer(() => rm(folder, { recursive: true, force: true }))
  }

  /** @param bin the folder of PostgreSQL's programs, needed for nodes */
  static async open(bin = ''): Promise<Lab> {
    const folder = await mkdtemp(join(tmpdir(), 'plant-store-lab-'))
    // If this is root, PostgreSQL runs as another user.
    await chmod(folder, 0o755)
    return new Lab(bin, folder)
  }

  async node(name: string, options: Partial<NodeOptions> = {}): Promise<PostgresNode> {
    const node = await startNode({ bin: this.#bin, folder: this.folder, name, settings: [], ...options })
    this.#cleanup.defer(() => node.kill())
    return node
  }

  /** A new database. */
  async database(engine: DatabaseLocation['engine']): Promise<DatabaseLocation> {
    if (engine === 'sqlite') return { engine, file: join(this.folder, 'plants.db') }
    const { url } = this.#cleanup.use(await startPostgres({ isDurable: true }))
    return { engine, url }
  }

  /** @param name of the server's log; servers with the same name share it */
  async serve(
    databaseUrl: string,
    name: string,
    environment: Record<string, string> = {},
    command?: Command,
  ): Promise<ServerProcess> {
    const logFile = join(this.folder, `${name}.log`)
    return this.#cleanup.use(await startProcess({ DATABASE_URL: databaseUrl, ...environment }, command, { logFile }))
  }

  log(name: string): Promise<string> {
    return readFile(join(this.folder, `${name}.log`), 'utf8')
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#cleanup.disposeAsync()
  }
}

/** A measured server on its own database. Disposing removes the database, too. */
export interface LoadedServer extends ServerProcess {
  /** A token of the caller `me`. */
  token: string
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
  engine: DatabaseLocation['engine'] = 'sqlite',
): Promise<LoadedServer> {
  const lab = await Lab.open()
  const location = await lab.database(engine)
  const [{ token } = { token: '' }] = await issueTokens(location, ['me'])
  const store = await openStore(location, { onFault: () => undefined })
  await Promise.all(
    Array.from({ length: plants }, (_, index) =>
      store.create('me', { id: BigInt(-1 - index), name: 'Monstera deliciosa', tag: 'indoor' }),
    ),
  )
  await store.close()
  const command = pinned('server', startCommand)
  const variables = { LOG_LEVEL: 'info', NODE_OPTIONS: nodeOptions.join(' '), ...environment }
  const url = location.engine === 'sqlite' ? `sqlite:${location.file}` : location.url
  const server = await lab.serve(url, 'server', variables, command)
  return { ...server, token, [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose]() }
}
