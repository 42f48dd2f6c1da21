import { rm } from 'node:fs/promises'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../../../.cache/compiled-by-tests')

/**
 * Lets the processes that the tests start compile what they share once. Copies of the project leave files there, so
 * each run begins without.
 */
export default async function setup(): Promise<void> {
  if (process.env['NODE_COMPILE_CACHE'] !== undefined) return
  await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  process.env['NODE_COMPILE_CACHE'] = folder
}
