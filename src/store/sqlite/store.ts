import { valuesOfPlant } from '../../plants/plant.ts'
import type { Store, StoreOptions } from '../store.ts'
import { tokenRows } from '../token-table.ts'
import { defaultMaxQueued } from '../waiting.ts'
import { openDatabase } from './open-database.ts'
import { Reads } from './reads.ts'
import { describeForeign } from './schema.ts'
import { sqlRunner } from './statements.ts'
import { WriteQueue } from './writes.ts'

export interface SqliteStoreOptions extends StoreOptions {
  /** The database file's path. */
  file: string
  /** How long writes wait for another process's write lock before they are `unavailable`. */
  lockTimeoutMilliseconds?: number
}

const oneStatement = true

/**
 * Opens a store in an SQLite file.
 *
 * @throws UnusableStore when `openDatabase` does
 */
export function openSqliteStore({
  file,
  onFault,
  onCommit,
  onWarning,
  lockTimeoutMilliseconds = 2_000,
  maxQueued = defaultMaxQueued,
}: SqliteStoreOptions): Store {
  const { database, files } = openDatabase(file)
  const foreign = describeForeign(database, file)
  if (foreign !== undefined) onWarning?.(foreign)
  const reads = new Reads(database, onFault, schedule)
  const queue = new WriteQueue(database, {
    maxQueued,
    lockTimeoutMilliseconds,
    onFault,
    onCommit,
    isInPlace,
    schedule,
  })
  let isScheduled = false
  let wasInPlace = true

  /**
   * Runs the work of this iteration of the event loop after its requests have been read, in two steps. The first looks
   * up tokens; the second runs the reads and writes of the accepted requests. No socket is read in between.
   */
  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(reads.begin)
    setImmediate(endTurn)
  }

  function endTurn(): void {
    isScheduled = false
    reads.end()
    queue.commit()
  }

  /** Reports a fault once, until the files are back in place. */
  function isInPlace(): boolean {
    const fault = files.findMisplaced()
    if (fault !== undefined && wasInPlace) onFault(fault)
    wasInPlace = fault === undefined
    return wasInPlace
  }

  const run = sqlRunner(database)

  return {
    read: reads.read,

    write: (_caller, text, values) => queue.write(() => run(text, values), oneStatement),

    list: reads.list,

    create: (caller, plant) =>
      queue.write(
        ({ createPlant }) =>
          createPlant.run(caller, plant.id, ...valuesOfPlant(plant)).changes === 1 ? 'created' : 'exists',
        oneStatement,
      ),

    delete: (caller, id) =>
      queue.write(
        ({ deletePlant }) => (deletePlant.run(caller, id).changes === 1 ? 'deleted' : 'absent'),
        oneStatement,
      ),

    addToken: (token) =>
      queue.write(({ addToken }) => {
        addToken.run(...tokenRows.valuesOf(token))
        return 'added'
      }),

    findCaller: reads.findCaller,

    listTokens: () => Promise.resolve(reads.listTokens()),

    revokeTokens: (selection) => {
      const values = tokenRows.selectionOf(selection)
      return queue.write(({ revokeTokens }) => revokeTokens.all(...values).map(tokenRows.tokenOf))
    },

    recordUses: (uses) =>
      queue.write(({ recordUse }) => {
        for (const use of uses) recordUse.run(use)
        return 'recorded'
      }),

    waitingWrites: () => queue.length,

    isEmpty: () => Promise.resolve(reads.isEmpty()),

    isReady: () => Promise.resolve(isInPlace() && reads.isReadable()),

    close: async () => {
      await queue.drain()
      // Closing the last connection copies the write-ahead log into the file.
      database.close()
    },
  }
}
