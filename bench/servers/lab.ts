import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type NodeOptions, type PostgresNode, startNode } from './postgres-node.ts'
import { type ServerProcess, startArguments, startServer } from './server-process.ts'

/** Nodes of PostgreSQL and servers of the project in a temporary folder. All of it ends with the lab. */
export class Lab implements AsyncDisposable {
  readonly folder: string
  readonly #bin: string
  readonly #cleanup = new AsyncDisposableStack()

  private constructor(bin: string, folder: string) {
    this.#bin = bin
    this.folder = folder
    this.#cleanup.defer(() => rm(folder, { recursive: true, force: true }))
  }

  /** @param bin the folder of PostgreSQL's programs */
  static async open(bin: string): Promise<Lab> {
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
  async serve(databaseUrl: string, name: string): Promise<ServerProcess> {
    const server = await startServer({
      arguments: startArguments,
      environment: { DATABASE_URL: databaseUrl, LOG_LEVEL: 'warn' },
      logFile: join(this.folder, `${name}.log`),
      processors: '0-1',
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
