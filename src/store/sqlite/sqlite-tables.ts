import type { StoredPlant, Tables } from '../tables.ts'
import type { StoredToken } from '../store.ts'
import { openDatabase } from './open-database.ts'

interface PlantRow {
  caller: string
  id: bigint
  name: string
  tag: string | null
}

interface TokenRow {
  hash: Buffer
  prefix: string
  caller: string
  issued_at: bigint
  expires_at: bigint | null
  last_used_at: bigint | null
}

/**
 * Opens the tables in a database file.
 *
 * @throws UnusableStore as `openDatabase`
 */
export function openSqliteTables(file: string): Tables {
  const { reader, writer, files } = openDatabase(file)
  const plants = 'SELECT caller, id, name, tag FROM plants'
  const tokens = 'SELECT hash, prefix, caller, issued_at, expires_at, last_used_at FROM tokens'
  const reads = {
    plantCount: reader.prepare<[], number>('SELECT count(*) FROM plants').pluck(),
    firstPlants: reader.prepare<[number], PlantRow>(`${plants} ORDER BY caller, id LIMIT ?`).safeIntegers(),
    nextPlants: reader.prepare<[string, bigint, number], PlantRow>(`${plants} WHERE (caller, id) > (?, ?) ORDER BY caller, id LIMIT ?`).safeIntegers(),
    tokenCount: reader.prepare<[], number>('SELECT count(*) FROM tokens').pluck(),
    firstTokens: reader.prepare<[number], TokenRow>(`${tokens} ORDER BY hash LIMIT ?`).safeIntegers(),
    nextTokens: reader.prepare<[Uint8Array, number], TokenRow>(`${tokens} WHERE hash > ? ORDER BY hash LIMIT ?`).safeIntegers(),
  }
  const addPlant = writer.prepare<[string, bigint, string, string | null]>('INSERT INTO plants (caller, id, name, tag) VALUES (?, ?, ?, ?)')
  const addToken = writer.prepare<[Uint8Array, string, string, number, number | null, number | null]>(
    'INSERT INTO tokens (hash, prefix, caller, issued_at, expires_at, last_used_at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const addPlants = writer.transaction((rows: StoredPlant[]) => {
    for (const { caller, id, name, tag } of rows) addPlant.run(caller, id, name, tag ?? null)
  })
  const addTokens = writer.transaction((rows: StoredToken[]) => {
    for (const { hash, prefix, caller, issuedAt, expiresAt, lastUsedAt } of rows) addToken.run(hash, prefix, caller, issuedAt, expiresAt ?? null, lastUsedAt ?? null)
  })
  const assertInPlace = () => {
    const fault = files.findMisplaced()
    if (fault !== undefined) throw fault
  }
  // Who waits for the lock is here alone.
  writer.pragma('busy_timeout = 5000')
  return {
    // An aggregate without GROUP BY always has one row.
    plants: {
      count: async () => Promise.resolve(reads.plantCount.get()!),
      after: async (row, limit) => Promise.resolve((row === undefined ? reads.firstPlants.all(limit) : reads.nextPlants.all(row.caller, row.id, limit)).map(storedPlant)),
      add: async (rows) => {
        addPlants.immediate(rows)
        assertInPlace()
        return Promise.resolve()
      },
    },
    tokens: {
      count: async () => Promise.resolve(reads.tokenCount.get()!),
      after: async (row, limit) => Promise.resolve((row === undefined ? reads.firstTokens.all(limit) : reads.nextTokens.all(row.hash, limit)).map(storedToken)),
      add: async (rows) => {
        addTokens.immediate(rows)
        assertInPlace()
        return Promise.resolve()
      },
    },
    close: async () => {
      reader.close()
      writer.close()
      return Promise.resolve()
    },
  }
}

function storedPlant({ tag, ...plant }: PlantRow): StoredPlant {
  return tag === null ? plant : { ...plant, tag }
}

function storedToken({ hash, prefix, caller, issued_at, expires_at, last_used_at }: TokenRow): StoredToken {
  return { hash, prefix, caller, issuedAt: Number(issued_at), expiresAt: timeOf(expires_at), lastUsedAt: timeOf(last_used_at) }
}

function timeOf(column: bigint | null): number | undefined {
  return column === null ? undefined : Number(column)
}
