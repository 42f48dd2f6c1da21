import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseLocation } from '../../../src/store/location.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { issueTokens } from './issue-tokens.ts'
import { type NodeOptions, type PostgresNode, startNode } from './postgres-node.ts'
import { type Command, type ServerProcess, startCommand, startProcess } from './start-process.ts'
import { storedPlant } from '../plants.ts'

/** The processors of measured servers and of the load generator. */
const processors = { server: '0', load: '1' }

/** @returns a command that runs on one processor; taskset(1) keeps the process id */
export function pinned(processor: keyof typeof processors, command: readonly string[]): Command {
  return ['taskset', '-c', processors[processor], ...command]
}

/** Servers of the project and PostgreSQL nodes in a temporary folder. Disposing ends them and removes the folder. */
export class Lab implements AsyncDisposable {
  readonly folder: string
  readonly #cleanup = new AsyncDisposableStack()

  private constructor(folder: string) {
    this.folder = folder
    this.#cleanup.defer(() => rm(folder, { recursive: true, force: true }))
  }

  static async open(): Promise<Lab> {
    const folder = await mkdtemp(join(tmpdir(), 'plant-store-lab-'))
    // If this is root, PostgreSQL runs as another user.
    await chmod(folder, 0o755)
    return new Lab(folder)
  }

  /** Ends something with the lab. */
  use<Part extends AsyncDisposable>(part: Part): Part {
    return this.#cleanup.use(part)
  }

  async node(name: string, options: Partial<NodeOptions> = {}): Promise<PostgresNode> {
    return this.use(await startNode({ folder: this.folder, name, ...options }))
  }

  /** A new database. @returns its location, and the value of `DATABASE_URL` */
  async database(engine: DatabaseLocation['engine']): Promise<{ location: DatabaseLocation; url: string }> {
    const file = join(this.folder, 'plants.db')
    if (engine === 'sqlite') return { location: { engine, file }, url: `sqlite:${file}` }
    const { url } = await this.node('postgres')
    return { location: { engine, url }, url }
  }

  /** @param name of the server's log; servers with the same name share it */
  async serve(
    databaseUrl: string,
    name: string,
    environment: Record<string, string> = {},
    command?: Command,
  ): Promise<ServerProcess> {
    const logFile = join(this.folder, `${name}.log`)
    return this.use(await startProcess({ DATABASE_URL: databaseUrl, ...environment }, command, { logFile }))
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
  const { location, url } = await lab.database(engine)
  const [{ token } = { token: '' }] = await issueTokens(location, ['me'])
  const store = await openStore(location, { onFault: () => undefined })
  await Promise.all(
    Array.from({ length: plants }, (_, index) =>
      store.create('me', storedPlant({ id: BigInt(-1 - index), name: 'Monstera deliciosa', tag: 'indoor' })),
    ),
  )
  await store.close()
  const command = pinned('server', startCommand)
  const variables = { LOG_LEVEL: 'info', NODE_OPTIONS: nodeOptions.join(' '), ...environment }
  const server = await lab.serve(url, 'server', variables, command)
  return { ...server, token, [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose]() }
}
