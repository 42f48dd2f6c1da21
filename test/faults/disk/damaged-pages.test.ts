import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { backUp } from '../../../scripts/backup.ts'
import { restore } from '../../../scripts/restore.ts'
import { createToken } from '../../../src/auth/tokens.ts'
import { openDatabase } from '../../../src/store/sqlite/open-database.ts'
import { openSqliteStore } from '../../../src/store/sqlite/store.ts'
import { listText } from '../../store/list-text.ts'
import { throwFault } from '../../store/store-suite.ts'
import { awkwardTexts } from '../../support/client/awkward-texts.ts'
import { temporaryFolder } from '../../support/server/start-app.ts'
import { runScript } from '../../support/server/start-process.ts'

const pageSize = 4_096

const callers = ['a', 'damaged', 'z'] as const

const rounds = 20

/** Makes a file with 2,000 plants of each caller. The plants on the pages to damage have the tag `inner`. */
async function makeFile(): Promise<string> {
  const file = join(await temporaryFolder(), 'plants.db')
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
  const rival = new Database(file)
  rival.exec(`INSERT INTO plants (caller, id, name) VALUES ('a', 0, 'Monstera')`)
  rival.close()
  const repair = () => {
    writePages(file, damaged, (offset) => bytes.subarray(offset, offset + pageSize))
  }
  return { store, faults, file, repair }
}

/** A row of the table of plants, as text. */
function rowsIn(file: string): Set<string> {
  const database = new Database(file, { readonly: true })
  try {
    const rows = database.prepare('SELECT * FROM plants').safeIntegers().raw().all() as unknown[][]
    return new Set(rows.map((row) => row.map(String).join('|')))
  } finally {
    database.close()
  }
}

/** Finds pages of the table of plants. @returns their offsets, and how many rows they have together */
function pagesOfPlants(file: string, condition: string): { offsets: number[]; rows: number } {
  const database = new Database(file, { readonly: true })
  try {
    const found = database
      .prepare<[], { pageno: number; ncell: number }>(
        `SELECT pageno, ncell FROM dbstat WHERE name = 'plants' AND pagetype <> 'overflow' AND ${condition}`,
      )
      .all()
    const offsets = found.map(({ pageno }) => (pageno - 1) * pageSize)
    return { offsets, rows: found.reduce((sum, { ncell }) => sum + ncell, 0) }
  } finally {
    database.close()
  }
}

/** Damages pages of the table of plants. @returns the rows before, and how many were on these pages */
async function makeDamagedFile(condition: string) {
  const file = await makeFile()
  const before = rowsIn(file)
  const { offsets, rows } = pagesOfPlants(file, condition)
  expect(offsets.length).toBeGreaterThan(0)
  writePages(file, offsets, () => Buffer.alloc(pageSize, 0xff))
  return { file, before, pages: offsets.length, rows }
}

test('a backup of a damaged file is refused, but leaves damaged pages out if asked to', async () => {
  const { file, before, pages, rows } = await makeDamagedFile(`pagetype = 'leaf' AND pageno % 7 = 3`)
  const environment = { DATABASE_URL: `sqlite:${file}` }
  const copy = `${file}.copy`
  expect(await runScript('scripts/backup.ts', [copy], environment)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/; with --skip-damaged, the rest is copied\n$/) as string,
  })
  const count = String(before.size - rows)
  expect(await runScript('scripts/backup.ts', [copy, '--skip-damaged'], environment)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      new RegExp(
        `: .*\\b${count} plants,? .* verified; ${String(pages)} damaged pages and 0 other rows were left out\n$`,
      ),
    ) as string,
  })
  restore(copy, file, true)
  const store = openSqliteStore({ file, onFault: throwFault })
  onTestFinished(() => store.close())
  expect(JSON.parse(await listText(store, 'a'))).not.toHaveLength(0)
})

test.each([
  ['leaves', `pagetype = 'leaf' AND pageno % 2 = 0`],
  ['a page that leads to leaves', `path = '/000/'`],
  ['the root', `path = '/'`],
])('a backup that skips damaged pages has the rows of all others: %s', async (_name, condition) => {
  const { file, before, pages, rows } = await makeDamagedFile(condition)
  const copy = `${file}.copy`
  const { loss } = await backUp(file, copy, { skipsDamaged: true })
  expect(loss).toEqual({ pages, rows: 0 })
  const after = rowsIn(copy)
  expect(after.size).toBe(before.size - rows)
  expect(after.isSubsetOf(before)).toBe(true)
})

test('a backup that skips damaged pages does not bring deleted rows back', async () => {
  const file = await makeFile()
  // In key order.
  const { offsets } = pagesOfPlants(file, `pagetype = 'leaf' ORDER BY path`)
  const [first, last] = [offsets[0]!, offsets.at(-1)!]
  const old = readFileSync(file).subarray(first, first + pageSize)
  const database = new Database(file)
  database.exec(`DELETE FROM plants WHERE caller = 'a'`)
  database.close()
  // A disk that writes to a wrong place can do this.
  writePages(file, [last], () => old)
  const copy = `${file}.copy`
  expect((await backUp(file, copy, { skipsDamaged: true })).loss).toEqual({ pages: 1, rows: 0 })
  expect([...rowsIn(copy)].filter((row) => row.startsWith('a|'))).toEqual([])
})

test('a backup that skips damaged pages has all of a sound file, with what is in the log', async () => {
  const file = await makeFile()
  const store = openSqliteStore({ file, onFault: throwFault })
  onTestFinished(() => store.close())
  for (const [index, [, text]] of awkwardTexts.entries())
    await store.create('é', { id: BigInt(index) - 5n, name: text, tag: text })
  // Their rows have overflow pages.
  const long = '\u{1F331}'.repeat(255)
  for (const id of [-(2n ** 63n), -(2n ** 31n), -1n, 0n, 2n ** 47n, 2n ** 63n - 1n])
    await store.create('long', { id, name: long, tag: long })
  await store.create('long', { id: 1n, name: 'without a tag' })
  for (let id = 10n; id < 10_000n; id += 10n) void store.delete('a', id)
  for (const scope of [undefined, 'plants:read']) await store.addToken(createToken('me', 1, undefined, scope).stored)
  const copy = `${file}.copy`
  const { loss, tokens } = await backUp(file, copy, { skipsDamaged: true })
  expect({ loss, tokens }).toEqual({ loss: { pages: 0, rows: 0 }, tokens: 2 })
  expect(rowsIn(copy)).toEqual(rowsIn(file))
  const restored = openSqliteStore({ file: copy, onFault: throwFault })
  onTestFinished(() => restored.close())
  expect(await restored.listTokens()).toEqual(await store.listTokens())
})

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
  const rival = new Database(file)
  rival.pragma('user_version = 4')
  rival.close()
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
        ? await store.create(caller, { id, name: 'Monstera deliciosa', tag: 'new' })
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
