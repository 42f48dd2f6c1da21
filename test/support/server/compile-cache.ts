import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../../../.cache/compiled-by-tests')

/** Several times what the project and its packages need. */
const mostFiles = 10_000

/**
 * Lets the processes that the tests start compile what they share once, for later runs too: a process that is killed
 * saves nothing. Copies of the project leave files there that no run finds again, so a large cache is removed.
 */
export default async function setup(): Promise<void> {
  if (process.env['NODE_COMPILE_CACHE'] !== undefined) return
  const files = await readdir(folder, { recursive: true }).catch(() => [])
  if (files.length > mostFiles) await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  process.env['NODE_COMPILE_CACHE'] = folder
}
