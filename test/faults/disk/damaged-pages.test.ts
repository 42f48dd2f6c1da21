import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { createToken } from '../../../src/auth/tokens.ts'
import { openDatabase } from '../../../src/store/sqlite/open-database.ts'
import { openSqliteStore } from '../../../src/store/sqlite/store.ts'
import { runSql, temporaryFile } from '../../support/server/sqlite-file.ts'
import { storedPlant } from '../../support/plants.ts'

const pageSize = 4_096

const callers = ['a', 'damaged', 'z'] as const

const rounds = 20

/** Makes a file with 2,000 plants of each caller. The plants on the pages to damage have the tag `inner`. */
async function makeFile(): Promise<string> {
  const file = await temporaryFile()
  const { database } = openDatabase(file)
  database.exec(
    `WITH RECURSIVE ids (id) AS (SELECT 10 UNION ALL SELECT id + 10 FROM ids WHERE id < 20000)
     INSERT INTO plants (caller, id, name, tag)
     SELECT caller, id, name, tag FROM (
       SELECT column1 AS caller, id, 'Monstera deliciosa' AS name,
         iif(column1 = 'damaged' AND id BETWEEN 5000 AND 15000, 'inner', 'outer') AS tag
       FROM (VALUES ('a'), ('damaged'), ('z')), ids)`,
  )
  database.close()
  return file
}

/** The offsets of every second leaf page that has only inner plants (sqlite.org/fileformat.html, section 1.6). */
function innerPages(bytes: Buffer): number[] {
  const leaf = 0x0a
  return Array.from({ length: bytes.length / pageSize }, (_, page) => page * pageSize)
    .filter((offset) => {
      const page = bytes.subarray(offset, offset + pageSize)
      return page[0] === leaf && page.includes('inner') && !page.includes('outer')
    })
    .filter((_offset, index) => index % 2 === 0)
}

function writePages(file: string, offsets: number[], pageAt: (offset: number) => Buffer): void {
  const descriptor = openSync(file, 'r+')
  for (const offset of offsets) writeSync(descriptor, pageAt(offset), 0, pageSize, offset)
  closeSync(descriptor)
}

/** Opens a store and damages pages of one caller. */
async function openDamaged() {
  const file = await makeFile()
  const faults: unknown[] = []
  const store = openSqliteStore({ file, onFault: (fault) => void faults.push(fault) })
  const bytes = readFileSync(file)
  const damaged = innerPages(bytes)
  expect(damaged.length).toBeGreaterThan(10)
  writePages(file, damaged, () => Buffer.alloc(pageSize, 0xff))
  // A write by another connection invalidates the store's page cache.
  runSql(file, `INSERT INTO plants (caller, id, name) VALUES ('a', 0, 'Monstera')`)
  const repair = () => {
    writePages(file, damaged, (offset) => bytes.subarray(offset, offset + pageSize))
  }
  return { store, faults, file, repair }
}

test('reads of damaged pages fail; other reads of the batch succeed', async () => {
  const { store } = await openDamaged()
  const lists = await Promise.all([...callers, ...callers].map((caller) => store.list(caller, 1_000)))
  expect(lists.map((list) => list === 'unavailable')).toEqual([false, true, false, false, true, false])
  await store.close()
})

test('a store is ready although the first pages of its tables are damaged', async () => {
  const file = await makeFile()
  const faults: unknown[] = []
  const store = openSqliteStore({ file, onFault: (fault) => void faults.push(fault) })
  onTestFinished(() => store.close())
  await store.addToken(createToken('me', 1).stored)
  const database = new Database(file)
  database.pragma('wal_checkpoint(TRUNCATE)')
  const first = database.prepare<[], number>(`SELECT pageno FROM dbstat WHERE path IN ('/', '/000/000/')`).pluck().all()
  database.close()
  writePages(
    file,
    first.filter((page) => page > 1).map((page) => (page - 1) * pageSize),
    () => Buffer.alloc(pageSize, 0xff),
  )
  // A write by another connection invalidates the store's page cache.
  runSql(file, 'PRAGMA user_version = 4')
  expect(await store.isReady()).toBe(true)
  expect(faults).toEqual([])
  expect(await store.isEmpty()).toBe('unavailable')
})

test('writes to damaged pages fail; other writes of the batch succeed', async () => {
  const { store, faults, file, repair } = await openDamaged()
  const stored = Object.fromEntries(
    callers.map((caller) => [caller, new Set(Array.from({ length: 2_000 }, (_, index) => BigInt(10 * (index + 1))))]),
  )
  stored['a']!.add(0n)
  const counts: Record<string, number> = {}
  const write = async (caller: string, kind: 'create' | 'delete', id: bigint) => {
    const outcome =
      kind === 'create'
        ? await store.create(caller, storedPlant({ id, name: 'Monstera deliciosa', tag: 'new' }))
        : await store.delete(caller, id)
    if (outcome === 'created') stored[caller]!.add(id)
    if (outcome === 'deleted') stored[caller]!.delete(id)
    const key = `${caller === 'damaged' ? 'damaged' : 'other'} ${outcome}`
    counts[key] = (counts[key] ?? 0) + 1
  }
  for (let round = 0n; round < rounds; round++) {
    // Inner ids are near 10,000. Many ids of a round share a page, which must then be split.
    const ids = Array.from({ length: 20 }, (_, index) => 8_000n + round * 250n + BigInt(index) * 10n)
    await Promise.all(
      ids.flatMap((id) =>
        callers.flatMap((caller) => [write(caller, 'create', id + 3n), write(caller, 'delete', id + round)]),
      ),
    )
  }
  await store.close()

  const {
    'damaged unavailable': refused = 0,
    'damaged created': created = 0,
    'other created': otherCreated,
    'other unavailable': otherRefused = 0,
  } = counts
  expect({ otherCreated, otherRefused }).toEqual({ otherCreated: 2 * 20 * rounds, otherRefused: 0 })
  expect(refused).toBeGreaterThan(100)
  expect(created).toBeGreaterThan(10)
  expect(faults).toHaveLength(refused)
  expect(faults).toContainEqual(expect.objectContaining({ code: 'SQLITE_CORRUPT' }))

  // After a repair, the file holds exactly the acknowledged writes.
  repair()
  const repaired = new Database(file)
  expect(repaired.pragma('integrity_check', { simple: true })).toBe('ok')
  const idsOf = repaired.prepare<[string], bigint>('SELECT id FROM plants WHERE caller = ?').pluck().safeIntegers()
  for (const caller of callers) expect(new Set(idsOf.all(caller))).toEqual(stored[caller])
  repaired.close()
})
