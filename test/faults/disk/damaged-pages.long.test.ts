import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { backUp } from '../../../scripts/backup.ts'
import { openDatabase } from '../../../src/store/sqlite/open-database.ts'
import { createRandom } from '../../support/random.ts'
import { temporaryFolder } from '../../support/server/start-app.ts'

const [pageSize, sectorSize] = [4_096, 512]

const rounds = 60

function rowsIn(file: string): Set<string> {
  const database = new Database(file, { readonly: true })
  const rows = database.prepare<[], string>(`SELECT caller || '|' || id || '|' || name FROM plants`).pluck().all()
  database.close()
  return new Set(rows)
}

test('a backup that skips damaged pages has no row that the database did not have', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  const random = createRandom(seed)
  const folder = await temporaryFolder()
  const [file, damaged, copy] = ['plants.db', 'damaged.db', 'copy.db'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const { database } = openDatabase(file)
  const insert = database.prepare<[string, number, string]>(
    `INSERT OR IGNORE INTO plants (caller, id, name) VALUES (?, ?, ?)`,
  )
  const insertMany = (count: number) => {
    for (let index = 0; index < count; index++)
      insert.run(`c${String(random.below(9))}`, random.below(100_000), 'Monstera'.padEnd(8 + random.below(60)))
  }
  database.transaction(insertMany)(9_000)
  database.exec('DELETE FROM plants WHERE id % 3 = 0')
  database.transaction(insertMany)(1_000)
  database.close()
  const [sound, before] = [readFileSync(file), rowsIn(file)]
  const pages = sound.length / pageSize
  // The list of free pages (sqlite.org/fileformat.html, section 1.3.7). Without it, pages below a damaged one are lost.
  const trunk = sound.readUInt32BE(32) - 1

  for (let round = 0; round < rounds; round++) {
    const bytes = Buffer.from(sound)
    const hit = new Set<number>()
    for (let count = 0; count < 8; count++) {
      // The first page has the schema.
      const page = 1 + random.below(pages - 1)
      if (page === trunk) continue
      hit.add(page)
      const first = random.below(pageSize / sectorSize)
      const offset = first * sectorSize
      const length = (1 + random.below(pageSize / sectorSize - first)) * sectorSize
      const noise = Buffer.from(Array.from({ length }, () => random.below(256)))
      const other = sound.subarray((1 + random.below(pages - 1)) * pageSize + offset).subarray(0, length)
      bytes.set(random.one([Buffer.alloc(length), noise, other]), page * pageSize + offset)
    }
    writeFileSync(damaged, bytes)
    rmSync(copy, { force: true })
    const { loss } = await backUp(damaged, copy, { skipsDamaged: true })
    const after = rowsIn(copy)
    const label = `seed ${String(seed)}, round ${String(round)}`
    expect([...after.difference(before)], label).toEqual([])
    // A page has fewer than a hundred of these rows.
    expect(after.size, label).toBeGreaterThan(before.size - 100 * hit.size)
    expect(loss?.pages, label).toBeLessThanOrEqual(hit.size)
  }
})
