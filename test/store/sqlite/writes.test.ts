import { unlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../../src/store/sqlite/open-database.ts'
import { WriteQueue } from '../../../src/store/sqlite/writes.ts'
import { temporaryFile } from '../../support/server/sqlite-file.ts'

async function makeQueue(options: Partial<ConstructorParameters<typeof WriteQueue>[1]> = {}) {
  const file = await temporaryFile()
  const { database, files } = openDatabase(file)
  onTestFinished(() => {
    database.close()
  })
  const faults: Error[] = []
  const queue: WriteQueue = new WriteQueue(database, {
    maxQueued: 10_000,
    lockTimeoutMilliseconds: 2_000,
    onFault: (error) => void faults.push(error),
    isInPlace: () => files.findMisplaced() === undefined,
    schedule: () => {
      setImmediate(() => {
        queue.commit()
      })
    },
    ...options,
  })
  const statement = database.prepare<[number]>(`INSERT INTO plants (caller, id, name) VALUES ('me', ?, 'a')`)
  const before = await commitsIn(`${file}-wal`)
  return {
    queue,
    database,
    file,
    faults,
    /** A write of a plant. */
    insert: (id: number) => () => {
      statement.run(id)
      return `inserted ${String(id)}`
    },
    ids: () => database.prepare('SELECT id FROM plants ORDER BY id').pluck().all(),
    /** How many transactions have been committed since the queue was made. */
    commits: async () => (await commitsIn(`${file}-wal`)) - before,
  }
}

/** The frames of a write-ahead log that end a transaction (sqlite.org/fileformat.html, section 4.1). */
async function commitsIn(log: string): Promise<number> {
  const bytes = await readFile(log)
  const pageSize = bytes.readUInt32BE(8)
  let commits = 0
  for (let frame = 32; frame < bytes.length; frame += 24 + pageSize) if (bytes.readUInt32BE(frame + 4) !== 0) commits++
  return commits
}

test('writes that arrive together share a transaction and have their own outcomes', async () => {
  const { queue, insert, ids, commits } = await makeQueue()
  const outcomes = await Promise.all(Array.from({ length: 100 }, (_, id) => queue.write(insert(id))))
  expect(outcomes).toEqual(Array.from({ length: 100 }, (_, id) => `inserted ${String(id)}`))
  expect(await commits()).toBe(1)
  expect(ids()).toHaveLength(100)
  expect(await queue.write(insert(100))).toBe('inserted 100')
  expect(await commits()).toBe(2)
})

test('writes to a removed file are unavailable, as are those that follow', async () => {
  const { queue, file, insert, ids } = await makeQueue()
  expect(ids()).toEqual([])
  const removal = queue.write(() => {
    insert(1)()
    unlinkSync(file)
  })
  expect(await removal).toBe('unavailable')
  expect(ids()).toEqual([1])
  expect(await queue.write(insert(2))).toBe('unavailable')
  expect(ids()).toEqual([1])
})

test('a transaction takes a limited number of writes; the rest follow in order', async () => {
  const { queue, insert, commits } = await makeQueue({ maxBatch: 10 })
  const order: number[] = []
  await Promise.all(Array.from({ length: 25 }, (_, id) => queue.write(insert(id)).then(() => order.push(id))))
  expect(await commits()).toBe(3)
  expect(order).toEqual(Array.from({ length: 25 }, (_, id) => id))
})

test('a write beyond the limit of the queue is refused and not done', async () => {
  const { queue, insert, ids, faults } = await makeQueue({ maxQueued: 3 })
  const outcomes = Promise.all([1, 2, 3, 4, 5].map((id) => queue.write(insert(id))))
  await queue.drain()
  expect(await outcomes).toEqual(['inserted 1', 'inserted 2', 'inserted 3', 'unavailable', 'unavailable'])
  expect(ids()).toEqual([1, 2, 3])
  expect(faults).toEqual([])
})

test('a lock timeout refuses all waiting writes, and the next write waits again', async () => {
  const { queue, file, insert, ids, faults } = await makeQueue({ lockTimeoutMilliseconds: 20, maxBatch: 1 })
  const other = new Database(file)
  onTestFinished(() => void other.close())
  other.exec('BEGIN IMMEDIATE')
  expect(await Promise.all([queue.write(insert(1)), queue.write(insert(2))])).toEqual(['unavailable', 'unavailable'])
  expect(faults).toMatchObject([{ code: 'SQLITE_BUSY' }])
  const next = queue.write(insert(3))
  other.exec('COMMIT')
  expect(await next).toBe('inserted 3')
  expect(ids()).toEqual([3])
})

test('writes wait for a lock taken after an error ended their transaction', async () => {
  const { queue, database, file, insert, ids, faults } = await makeQueue()
  const other = new Database(file)
  onTestFinished(() => void other.close())
  let runs = 0
  const outcomes = Promise.all([
    queue.write(insert(1)),
    queue.write(() => {
      // As SQLite does after some faults (sqlite.org/lang_transaction.html, section 3).
      database.exec('ROLLBACK')
      if (runs++ === 0) other.exec('BEGIN IMMEDIATE')
      throw new Database.SqliteError('disk I/O error', 'SQLITE_IOERR_READ')
    }),
    queue.write(insert(2)),
  ])
  await expect.poll(() => runs).toBe(1)
  expect(ids()).toEqual([])
  other.exec('COMMIT')
  expect(await outcomes).toEqual(['inserted 1', 'unavailable', 'inserted 2'])
  expect(ids()).toEqual([1, 2])
  expect(faults).toMatchObject([{ code: 'SQLITE_IOERR_READ' }])
})

test('writes to a full database are refused together without a second run', async () => {
  const { queue, database, insert, ids, faults } = await makeQueue()
  database.pragma('max_page_count = 1')
  const fill = database.prepare(`INSERT INTO plants (caller, id, name) VALUES ('me', 2, hex(randomblob(4096)))`)
  let runs = 0
  const writes = [insert(1), () => fill.run(), insert(3)].map((run) => () => {
    runs++
    return run()
  })
  expect(await Promise.all(writes.map((write) => queue.write(write)))).toEqual(Array(3).fill('unavailable'))
  expect(runs).toBe(2)
  expect(faults).toMatchObject([{ code: 'SQLITE_FULL' }])
  expect(ids()).toEqual([])
})
