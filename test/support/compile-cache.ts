import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Lets the processes that the tests start compile what they share once. The folder goes when the run is over, for each copy of the project leaves files in it. */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env['NODE_COMPILE_CACHE'] !== undefined) return undefined
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-compiled-'))
  process.env['NODE_COMPILE_CACHE'] = folder
  return async () => {
    delete process.env['NODE_COMPILE_CACHE']
    await rm(folder, { recursive: true, force: true })
  }
}
