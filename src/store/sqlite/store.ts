import { defaultMaxQueued } from '../limits.ts'
import { storedToken } from '../rows.ts'
import type { Store, StoreOptions } from '../store.ts'
import { openDatabase } from './open-database.ts'
import { Reads } from './reads.ts'
import { prepareWrites, tokenValues } from './statements.ts'
import { WriteQueue } from './writes.ts'

/** The most writes in a commit. Enough that each one's share of the wait for the disk is small. */
const maxBatch = 128

export interface SqliteStoreOptions extends StoreOptions {
  /** The database file's path. */
  file: string
  /** How long another process may hold the write lock before writes are `unavailable`. */
  lockTimeoutMilliseconds?: number
  /** The most writes that wait to be committed. */
  maxQueued?: number
}

/**
 * Opens a store in one SQLite file.
 *
 * @throws UnusableStore as `openDatabase`
 */
export function openSqliteStore({
  file,
  onFault,
  onCommit,
  lockTimeoutMilliseconds = 2_000,
  maxQueued = defaultMaxQueued,
}: SqliteStoreOptions): Store {
  const { reader, writer, files } = openDatabase(file)
  const reads = new Reads(reader, onFault)
  const writes = prepareWrites(writer)
  const queue = new WriteQueue(writer, { maxQueued, maxBatch, lockTimeoutMilliseconds, onFault, onCommit, isInPlace })
  let wasInPlace = true

  /** Reports the fault once until the files are in place again. */
  function isInPlace(): boolean {
    const fault = files.findMisplaced()
    if (fault !== undefined && wasInPlace) onFault(fault)
    wasInPlace = fault === undefined
    return wasInPlace
  }

  return {
    list: (caller, limit) => reads.list(caller, limit),

    create: (caller, { id, name, tag }) =>
      queue.write(() => (writes.createPlant.run(caller, id, name, tag ?? null).changes === 1 ? 'created' : 'exists')),

    delete: (caller, id) =>
      queue.write(() => (writes.deletePlant.run(caller, id).changes === 1 ? 'deleted' : 'absent')),

    addToken: (token) =>
      queue.write(() => {
        writes.addToken.run(...tokenValues(token))
        return 'added'
      }),

    findCaller: (hash, now) => Promise.resolve(reads.findCaller(hash, now)),

    listTokens: () => Promise.resolve(reads.listTokens()),

    revokeTokens: (prefix) => queue.write(() => writes.revokeTokens.all(prefix).map(storedToken)),

    recordUses: (uses) =>
      queue.write(() => {
        for (const use of uses) writes.recordUse.run(use)
        return 'recorded'
      }),

    waitingWrites: () => queue.length,

    isEmpty: () => Promise.resolve(reads.isEmpty()),

    isReady: () => Promise.resolve(isInPlace() && reads.isReadable()),

    close: async () => {
      await queue.drain()
      reader.close()
      // The last connection copies the write-ahead log into the file.
      writer.close()
    },
  }
}
