import type { TestProject } from 'vitest/node'
import { startPostgres } from './postgres-node.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The store that a test gets when it names none. */
    engine: 'sqlite' | 'postgres'
    /** The PostgreSQL server of this run. */
    databaseUrl: string
  }
}

/** Starts one PostgreSQL server for the whole run, unless `TEST_DATABASE_URL` names one of the developer's own. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const own = process.env['TEST_DATABASE_URL']
  if (own !== undefined && own !== '') {
    project.provide('databaseUrl', own)
    return () => Promise.resolve()
  }
  const server = await startPostgres({ isDurable: false })
  project.provide('databaseUrl', server.url)
  return async () => server[Symbol.asyncDispose]()
}
