import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createToken } from '../../src/auth/tokens.ts'
import { openSqliteStore } from '../../src/store/sqlite/store.ts'
import { type ServerProcess, startArguments, startServer } from './server-process.ts'

/** The server as `npm start` runs it, on its own database. */
export interface LoadedServer extends ServerProcess {
  /** A token of the caller `me`. */
  token: string
  /** @returns the log so far */
  log: () => string
}

/**
 * Starts the server on a new database in a temporary folder. `stop` removes the folder.
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
  const token = await createDatabase(file, plants)
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
    stop: async () => {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Creates a database with a token of the caller `me`. @param plants how many plants it has @returns the token */
export async function createDatabase(file: string, plants: number): Promise<string> {
  const { text, stored } = createToken('me', Date.now())
  const store = openSqliteStore({ file, onFault: () => undefined })
  await store.addToken(stored)
  await Promise.all(
    Array.from({ length: plants }, (_, index) =>
      store.create('me', { id: BigInt(-1 - index), name: 'Monstera deliciosa', tag: 'indoor' }),
    ),
  )
  await store.close()
  return text
}
