import { type Caller, Encoded } from '../../contract/types.ts'
import type { NewPlant, Plant, Store, StoreOptions, StoredToken } from '../store.ts'
import { extendLog } from './extend-log.ts'
import { openDatabase } from './open-database.ts'
import { ReadTurns } from './read-turns.ts'
import { type TokenRow, prepareReads, prepareWrites } from './statements.ts'
import { WriteQueue } from './write-queue.ts'

/** How many plants are read at once: enough to cost little each, few enough to hold nobody up. */
const pageSize = 1_000

/** Up to this limit a list is read as a string; a longer one costs less as bytes, which nobody measures, joins and encodes again. */
const shortLimit = 100

/** How many writes share a commit at most: enough that the wait for the disk is little for each. */
const maxBatch = 128

export interface SqliteStoreOptions extends StoreOptions {
  /** The database file's path. */
  file: string
  lockTimeoutMilliseconds?: number
  maxQueued?: number
}

/**
 * Opens a store in one SQLite file.
 *
 * @throws UnusableStore as `openDatabase`
 */
export function openSqliteStore({ file, onFault, onCommit, isServed = false, lockTimeoutMilliseconds = 2_000, maxQueued = 10_000 }: SqliteStoreOptions): Store {
  const { reader, writer } = openDatabase(file)
  if (isServed) extendLog(writer, file)
  const reads = prepareReads(reader)
  const writes = prepareWrites(writer)
  const turns = new ReadTurns(reader, onFault)
  const queue = new WriteQueue(writer, { maxQueued, maxBatch, lockTimeoutMilliseconds, onFault, onCommit })

  async function* pages(caller: Caller, first: string, lastId: bigint, limit: number): AsyncGenerator<string> {
    yield `[${first}`
    let after: bigint | null = lastId
    for (let left = limit - pageSize; left > 0 && after !== null; left -= pageSize) {
      const wanted = Math.min(left, pageSize)
      const from: bigint = after
      const page = turns.read(() => reads.nextPage.get(caller, from, wanted)!)
      if (page === 'unavailable') throw new Error('a list was cut off, because the store is not available')
      const [count, last, plants] = page
      if (plants !== null) yield `,${plants}`
      after = count < wanted ? null : last
      // Between two pages everybody else has a turn.
      await new Promise(setImmediate)
    }
    yield ']'
  }

  return {
    list: (caller, limit = Infinity) =>
      turns.readTogether(() => {
        // An aggregate without GROUP BY always has one row.
        if (limit <= shortLimit) return new Encoded<Plant[]>(reads.shortList.get(caller, limit)!)
        if (limit <= pageSize) return new Encoded<Plant[]>(reads.longList.get(caller, limit)!)
        const [count, last, plants] = reads.firstPage.get(caller, pageSize)!
        const first = plants ?? ''
        return new Encoded<Plant[]>(last === null || count < pageSize ? `[${first}]` : pages(caller, first, last, limit))
      }),

    create: (caller, { id, name, tag }: NewPlant) => queue.write(() => (writes.createPlant.run(caller, id, name, tag ?? null).changes === 1 ? 'created' : 'exists')),

    delete: (caller, id) => queue.write(() => (writes.deletePlant.run(caller, id).changes === 1 ? 'deleted' : 'absent')),

    addToken: ({ hash, prefix, caller, issuedAt, expiresAt, lastUsedAt }) =>
      queue.write(() => {
        writes.addToken.run(hash, prefix, caller, issuedAt, expiresAt ?? null, lastUsedAt ?? null)
        return 'added'
      }),

    findCaller: (hash, now) =>
      turns.read(() => {
        const caller = reads.callerOfToken.get(hash, now)
        return caller === undefined ? 'unknown' : { caller }
      }),

    listTokens: () => Promise.resolve(turns.read(() => reads.tokens.all().map(storedToken))),

    revokeTokens: (prefix) => queue.write(() => writes.revokeTokens.all(prefix).map(storedToken)),

    recordUses: (uses) =>
      queue.write(() => {
        for (const use of uses) writes.recordUse.run(use)
        return 'recorded'
      }),

    waitingWrites: () => queue.length,

    isEmpty: () => Promise.resolve(reads.isEmpty.get() === 1),

    isReady: () => Promise.resolve(turns.read(() => reads.isEmpty.get()) !== 'unavailable'),

    close: async () => {
      await queue.drain()
      reader.close()
      // The last connection folds the write-ahead log into the file.
      writer.close()
    },
  }
}

function storedToken({ hash, prefix, caller, issued_at, expires_at, last_used_at }: TokenRow): StoredToken {
  return { hash, prefix, caller, issuedAt: issued_at, expiresAt: expires_at ?? undefined, lastUsedAt: last_used_at ?? undefined }
}
