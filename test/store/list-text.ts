import type { Encoded } from 'fastify-contract'
import type { Plant } from '../../src/plants/plant.ts'
import type { Store } from '../../src/store/store.ts'

/** The JSON text of a list, whole. @throws Error when the store is unavailable */
export async function listText(store: Store, caller: string, limit?: number): Promise<string> {
  const chunks = await chunksOf(store, caller, limit)
  if (isWhole(chunks)) return chunks.toString()
  const read: Buffer[] = []
  for await (const chunk of chunks) read.push(chunk)
  return Buffer.concat(read).toString()
}

/** The plants of a list. */
export async function plantsOf(store: Store, caller: string, limit?: number): Promise<Plant[]> {
  return JSON.parse(await listText(store, caller, limit)) as Plant[]
}

/** The names of the plants of a list. */
export async function namesOf(store: Store, caller: string, limit?: number): Promise<string[]> {
  return (await plantsOf(store, caller, limit)).map(({ name }) => name)
}

/** The chunks of a list. @throws Error when the store is unavailable, or gives the list whole */
export async function listPages(store: Store, caller: string): Promise<AsyncIterable<Buffer>> {
  const chunks = await chunksOf(store, caller)
  if (isWhole(chunks)) throw new Error('expected a list in pages')
  return chunks
}

function isWhole(chunks: Encoded<unknown>['chunks']): chunks is string | Buffer {
  return typeof chunks === 'string' || Buffer.isBuffer(chunks)
}

async function chunksOf(store: Store, caller: string, limit?: number): Promise<Encoded<unknown>['chunks']> {
  const list = await store.list(caller, limit)
  if (list === 'unavailable') throw new Error('the store is unavailable')
  return list.chunks
}
