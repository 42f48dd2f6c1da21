import { type Caller, Encoded } from '../../contract/types.ts'
import type { NewPlant, Plant, Store, StoreObserver, StoredToken } from '../store.ts'
import { type Part, type Position, beginningOf, chunkBytes, encodeList, pageRows } from '../pages.ts'
import { openDatabase } from './open-database.ts'
import { ReadBatch } from './read-batch.ts'
import { type TokenRow, prepareReads, prepareWrites } from './statements.ts'
import { WriteQueue } from './write-queue.ts'

/** In bytes: what long lists read in one iteration of the event loop, so that other requests are served in between. */
const readBytesPerIteration = 256 * 1_024

/** How many plants are read at once, when those before them were short; if they are the longest, it takes 1.5 MiB. */
const maxPageRows = 512

/** How many writes share a commit at most: enough that the wait for the disk is little for each. */
const maxBatch = 128

export interface SqliteStoreOptions extends StoreObserver {
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
export function openSqliteStore({ file, onFault, onCommit, lockTimeoutMilliseconds = 2_000, maxQueued = 10_000 }: SqliteStoreOptions): Store {
  const { reader, writer, files } = openDatabase(file)
  const reads = prepareReads(reader)
  const writes = prepareWrites(writer)
  const batch = new ReadBatch(reader, onFault)
  let wasInPlace = true
  const queue = new WriteQueue(writer, { maxQueued, maxBatch, lockTimeoutMilliseconds, onFault, onCommit, isInPlace })

  /** Reports the fault once until the files are in place again. */
  function isInPlace(): boolean {
    const fault = files.findMisplaced()
    if (fault !== undefined && wasInPlace) onFault(fault)
    wasInPlace = fault === undefined
    return wasInPlace
  }

  /** In this iteration of the event loop. */
  let readBytes = 0
  /** How many plants probably fill a chunk: they are as long as those that were read last. */
  let firstRows = pageRows
  let iteration: Promise<void> | undefined

  function readPart(caller: Caller, position: Position): Part {
    const plants: Buffer[] = []
    let bytes = 0
    let rows = firstRows
    let next: Position | undefined = position
    while (next !== undefined && bytes < chunkBytes) {
      const { from, left }: Position = next
      const wanted = Math.min(left, rows)
      const page = reads.page.get(caller, from, wanted)
      // group_concat of no rows is NULL.
      if (!page) return { plants, next: undefined }
      plants.push(page)
      bytes += page.length
      rows = rowsIn(chunkBytes - bytes, wanted, page.length)
      firstRows = rowsIn(chunkBytes, wanted, page.length)
      const id: bigint | undefined = left === wanted ? undefined : reads.idBehind.get(caller, from, wanted)
      next = id === undefined ? undefined : { from: id, left: left - wanted }
    }
    readBytes += bytes
    void nextIteration()
    return { plants, next }
  }

  function rowsIn(bytes: number, read: number, readBytes: number): number {
    return Math.min(maxPageRows, Math.max(pageRows, Math.floor((bytes * read) / readBytes)))
  }

  function nextIteration(): Promise<void> {
    return (iteration ??= new Promise((resolve) => {
      setImmediate(() => {
        readBytes = 0
        iteration = undefined
        resolve()
      })
    }))
  }

  async function readFirst(caller: Caller, limit: number): Promise<Encoded<Plant[]> | 'unavailable'> {
    while (readBytes >= readBytesPerIteration) await nextIteration()
    return batch.readTogether(() =>
      encodeList(readPart(caller, beginningOf(limit)), (position) => readNext(caller, position)),
    )
  }

  async function readNext(caller: Caller, position: Position): Promise<Part> {
    // Checked and read at once, because many lists wait for the same iteration.
    while (readBytes >= readBytesPerIteration) await nextIteration()
    const part = batch.read(() => readPart(caller, position))
    if (part === 'unavailable') throw new Error('a list was cut off, because the store is not available')
    return part
  }

  return {
    list: (caller, limit = Infinity) =>
      limit > pageRows
        ? readFirst(caller, limit)
        : // An aggregate without GROUP BY always has one row.
          batch.readTogether(() => new Encoded<Plant[]>(reads.shortList.get(caller, limit)!)),

    create: (caller, { id, name, tag }: NewPlant) => queue.write(() => (writes.createPlant.run(caller, id, name, tag ?? null).changes === 1 ? 'created' : 'exists')),

    delete: (caller, id) => queue.write(() => (writes.deletePlant.run(caller, id).changes === 1 ? 'deleted' : 'absent')),

    addToken: ({ hash, prefix, caller, issuedAt, expiresAt, lastUsedAt }) =>
      queue.write(() => {
        writes.addToken.run(hash, prefix, caller, issuedAt, expiresAt ?? null, lastUsedAt ?? null)
        return 'added'
      }),

    findCaller: (hash, now) =>
      batch.read(() => {
        const caller = reads.callerOfToken.get(hash, now)
        return caller === undefined ? 'unknown' : { caller }
      }),

    listTokens: () => Promise.resolve(batch.read(() => reads.tokens.all().map(storedToken))),

    revokeTokens: (prefix) => queue.write(() => writes.revokeTokens.all(prefix).map(storedToken)),

    recordUses: (uses) =>
      queue.write(() => {
        for (const use of uses) writes.recordUse.run(use)
        return 'recorded'
      }),

    waitingWrites: () => queue.length,

    isEmpty: () => Promise.resolve(reads.isEmpty.get() === 1),

    isReady: () => Promise.resolve(isInPlace() && batch.read(() => reads.isEmpty.get()) !== 'unavailable'),

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
