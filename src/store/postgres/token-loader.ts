import { Batcher, type Waiting } from '../batch.ts'
import type { FoundCaller } from '../store.ts'
import { type CallerRow, type Statement, statements } from './statements.ts'

/** The most lookups that share a query. */
const maxBatch = 500

interface Lookup {
  key: string
  hash: Uint8Array
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now: number
}

/** Reads rows; resolves to `unavailable` when the database cannot be read now. */
type ReadCallers = (statement: Statement<CallerRow>) => Promise<CallerRow[] | 'unavailable'>

/**
 * Makes the function that looks a token up, as `TokenStore.findCaller`. The lookups of one iteration of the event loop
 * share a query.
 *
 * @param isSharded whether a query for several tokens fails with any of several machines
 */
export function createTokenLoader(
  read: ReadCallers,
  isSharded = false,
): (hash: Uint8Array, now: number) => Promise<FoundCaller> {
  const batcher = new Batcher<Lookup, FoundCaller>(maxBatch, () => {
    // The next query does not wait for this one.
    void load(batcher.take())
    return undefined
  })

  async function load(batch: Waiting<Lookup, FoundCaller>[]): Promise<void> {
    try {
      const hashes = new Map(batch.map(({ item: { key, hash } }) => [key, hash]))
      const rows = await read(statements.callersOfTokens([...hashes.values()]))
      if (rows === 'unavailable' && isSharded && batch.length > 1) {
        await Promise.all(batch.map((lookup) => load([lookup])))
        return
      }
      const found = new Map(rows === 'unavailable' ? [] : rows.map((row) => [keyOf(row.hash), row]))
      for (const { item, resolve } of batch) {
        resolve(rows === 'unavailable' ? rows : callerIn(found.get(item.key), item.now))
      }
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  return (hash, now) => batcher.add({ key: keyOf(hash), hash, now })
}

function callerIn(row: CallerRow | undefined, now: number): FoundCaller {
  if (row === undefined || (row.expires_at !== null && Number(row.expires_at) <= now)) return 'unknown'
  return { caller: row.caller, scope: row.scope ?? undefined }
}

/** A token's hash as text, which is equal for equal hashes. */
export function keyOf(hash: Uint8Array): string {
  return Buffer.from(hash).toString('hex')
}
