import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
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

/** Prepares a run, and each project on PostgreSQL: the compile cache, and a server. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  await shareCompileCache()
  return project.config.provide.engine === 'postgres' ? providePostgres(project) : undefined
}

const cache = join(import.meta.dirname, '../../../.cache/compiled-by-tests')

/** Several times what the project and its packages need. */
const mostFiles = 10_000

/**
 * Makes the processes that the tests start share their compiled code, also with later runs: a killed process saves
 * nothing. Copies of the project leave files there that no run finds again, so a large cache is removed.
 */
async function shareCompileCache(): Promise<void> {
  if (process.env['NODE_COMPILE_CACHE'] !== undefined) return
  const files = await readdir(cache, { recursive: true }).catch(() => [])
  if (files.length > mostFiles) await rm(cache, { recursive: true, force: true, maxRetries: 10 })
  process.env['NODE_COMPILE_CACHE'] = cache
}

/** Starts one PostgreSQL server for the whole run, unless `TEST_DATABASE_URL` names one. @returns what stops it */
async function providePostgres(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const own = process.env['TEST_DATABASE_URL']
  if (own !== undefined && own !== '') {
    project.provide('databaseUrl', own)
    return undefined
  }
  const server = await startPostgres()
  project.provide('databaseUrl', server.url)
  return async () => server[Symbol.asyncDispose]()
}
