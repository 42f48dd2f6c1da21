import { open } from 'node:fs/promises'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../../src/store/sqlite/open-database.ts'
import { openSqliteStore } from '../../../src/store/sqlite/store.ts'
import { prepareReads } from '../../../src/store/sqlite/statements.ts'
import type { Store } from '../../../src/store/store.ts'
import { startProgram } from '../../support/server/program.ts'
import { temporaryFile } from '../../support/server/sqlite-file.ts'
import { nodeBinary, projectFolder } from '../../support/server/start-process.ts'
import { namesOf } from '../list-text.ts'
import { storeSuite, throwFault } from '../store-suite.ts'
import { storedPlant } from '../../support/plants.ts'

storeSuite('SQLite', {
  makeLocation: temporaryFile,
  open: (file, onFault = throwFault) => openSqliteStore({ file, onFault }),
})

/** Opens a store with one plant, and a connection of another process. */
async function openWithRival(): Promise<{ store: Store; rival: Database.Database; faults: Error[] }> {
  const file = await temporaryFile()
  const faults: Error[] = []
  const store = openSqliteStore({ file, onFault: (error) => void faults.push(error), lockTimeoutMilliseconds: 500 })
  await store.create('me', storedPlant({ id: 1n, name: 'a' }))
  const rival = new Database(file)
  onTestFinished(async () => {
    await store.close()
    rival.close()
  })
  return { store, rival, faults }
}

test('list statements walk the primary key and sort nothing', async () => {
  const { database } = openDatabase(await temporaryFile())
  onTestFinished(() => {
    database.close()
  })
  const { shortList, page, idBehind } = prepareReads(database)
  const planOf = (sql: string, ...parameters: unknown[]) =>
    database
      .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...parameters)
      .map(({ detail }) => detail)
      .join('\n')
  const pagePlan = planOf(page.source, 'me', 1n, 1)
  expect(pagePlan).toContain('(caller=? AND id>?)')
  for (const plan of [planOf(shortList.source, 'me', 1), pagePlan, planOf(idBehind.source, 'me', 1n, 1)]) {
    expect(plan).toMatch(/SEARCH plants USING PRIMARY KEY \(caller=\?/)
    expect(plan).not.toMatch(/TEMP B-TREE|SCAN plants/)
  }
})

test("writes wait for another process's write lock while reads go on", async () => {
  const { store, rival, faults } = await openWithRival()
  rival.exec(`BEGIN IMMEDIATE; INSERT INTO plants (caller, id, name) VALUES ('me', 2, 'of the other')`)
  const outcomes = Promise.all([
    store.create('me', storedPlant({ id: 2n, name: 'b' })),
    store.create('me', storedPlant({ id: 3n, name: 'c' })),
    store.delete('me', 1n),
  ])
  expect(await namesOf(store, 'me')).toEqual(['a'])
  expect(await store.isReady()).toBe(true)
  rival.exec('COMMIT')
  expect(await outcomes).toEqual(['exists', 'created', 'deleted'])
  expect(await namesOf(store, 'me')).toEqual(['of the other', 'c'])
  expect(faults).toEqual([])
})

test('closing waits for writes that wait for the lock', async () => {
  const { store, rival } = await openWithRival()
  rival.exec('BEGIN IMMEDIATE')
  const outcome = store.create('me', storedPlant({ id: 2n, name: 'b' }))
  const closed = store.close()
  await new Promise((resolve) => setTimeout(resolve, 20))
  rival.exec('COMMIT')
  expect(await outcome).toBe('created')
  await closed
  expect(rival.prepare('SELECT name FROM plants ORDER BY id').pluck().all()).toEqual(['a', 'b'])
})

test('a read repairs a torn log index, and waits for a writing process to do so', async () => {
  const file = await temporaryFile()
  const store = openSqliteStore({ file, onFault: throwFault })
  onTestFinished(() => store.close())
  await store.create('me', storedPlant({ id: 1n, name: 'a' }))
  const program = `
    import Database from 'better-sqlite3'
    const database = new Database(process.argv[1])
    database.exec('BEGIN IMMEDIATE')
    process.stdout.write('locked')
    setTimeout(() => database.exec('ROLLBACK'), 300)`
  const command = [nodeBinary, '--input-type=module', '-e', program, file]
  await startProgram(command, { cwd: projectFolder }, (stdout) => stdout === 'locked')
  // The first of the two copies of the header (sqlite.org/walformat.html, section 2.1).
  const index = await open(`${file}-shm`, 'r+')
  await index.write(Buffer.alloc(48, 1), 0, 48, 0)
  await index.close()
  expect(await namesOf(store, 'me')).toEqual(['a'])
})

test('large lists are read in parts, and short lists do not wait for them', async () => {
  const store = openSqliteStore({ file: await temporaryFile(), onFault: throwFault })
  onTestFinished(() => store.close())
  for (let id = 1n; id <= 128n; id++) await store.create('me', storedPlant({ id, name: '\u{1F331}'.repeat(255) }))
  let turns = 0
  let isOver = false
  const countTurns = () => {
    turns++
    if (!isOver) setImmediate(countTurns)
  }
  setImmediate(countTurns)
  const list = async (limit: number) => {
    await store.list('me', limit)
    return turns
  }
  const [large, short] = await Promise.all([
    Promise.all(Array.from({ length: 100 }, () => list(128))),
    Promise.all(Array.from({ length: 40 }, () => list(1))),
  ])
  isOver = true
  // Each large list has 130 KiB.
  expect(Math.max(...large)).toBeGreaterThan(10)
  expect(Math.max(...short)).toBeLessThan(5)
})
