import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStore } from '../../src/store/sqlite/store.ts'
import { issueTokens } from './clients.ts'
import { type ServerProcess, startArguments, startServer } from './server-process.ts'

/** The server as `npm start` runs it, on its own database. It ends with this, and its folder is removed. */
export interface LoadedServer extends ServerProcess, AsyncDisposable {
  /** A token of the caller `me`. */
  token: string
  /** @returns the log so far */
  log: () => string
}

/**
 * Starts the server on a new database in a temporary folder.
 *
 * @param plants how many plants the caller has
 */
export async function startLoadedServer(
  plants: number,
  environment: Record<string, string> = {},
  nodeOptions: string[] = [],
): Promise<LoadedServer> {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-load-'))
  const file = join(folder, 'plants.db')
  const [{ token } = { token: '' }] = await issueTokens({ engine: 'sqlite', file }, ['me'])
  const store = openSqliteStore({ file, onFault: () => undefined })
  await Promise.all(
    Array.from({ length: plants }, (_, index) =>
      store.create('me', { id: BigInt(-1 - index), name: 'Monstera deliciosa', tag: 'indoor' }),
    ),
  )
  await store.close()
  const logFile = join(folder, 'log')
  const server = await startServer({
    arguments: [...nodeOptions, ...startArguments],
    environment: { DATABASE_URL: `sqlite:${file}`, ...environment },
    logFile,
  })
  return {
    ...server,
    token,
    log: () => readFileSync(logFile, 'utf8'),
    [Symbol.asyncDispose]: async () => {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
