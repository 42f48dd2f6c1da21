import { unlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../../src/store/sqlite/open-database.ts'
import { WriteQueue } from '../../../src/store/sqlite/writes.ts'
import { temporaryFolder } from '../../support/server/start-app.ts'

interface TestQueue {
  queue: WriteQueue
  file: string
  faults: Error[]
  /** A write of a plant. */
  insert: (id: number) => () => string
  ids: () => unknown[]
  /** How many transactions have been committed since the queue was made. */
  commits: () => Promise<number>
}

async function makeQueue(options: Partial<ConstructorParameters<typeof WriteQueue>[1]> = {}): Promise<TestQueue> {
  const file = join(await temporaryFolder(), 'plants.db')
  const { reader, writer, files } = openDatabase(file)
  onTestFinished(() => {
    reader.close()
    writer.close()
  })
  const faults: Error[] = []
  const queue = new WriteQueue(writer, {
    maxQueued: 10_000,
    maxBatch: 1_000,
    lockTimeoutMilliseconds: 2_000,
    onFault: (error) => void faults.push(error),
    isInPlace: () => files.findMisplaced() === undefined,
    ...options,
  })
  const statement = writer.prepare<[number]>(`INSERT INTO plants (caller, id, name) VALUES ('me', ?, 'a')`)
  const before = await commitsIn(`${file}-wal`)
  return {
    queue,
    file,
    faults,
    insert: (id) => () => {
      statement.run(id)
      return `inserted ${String(id)}`
    },
    ids: () => reader.prepare('SELECT id FROM plants ORDER BY id').pluck().all(),
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

test('a lone write is one transaction of its own', async () => {
  const { queue, insert, ids, commits } = await makeQueue()
  expect(await queue.write(insert(1))).toBe('inserted 1')
  expect(await queue.write(insert(2))).toBe('inserted 2')
  expect(await commits()).toBe(2)
  expect(ids()).toEqual([1, 2])
})

test('writes that arrive together are one transaction, each with its own outcome', async () => {
  const { queue, insert, ids, commits } = await makeQueue()
  const outcomes = await Promise.all(Array.from({ length: 100 }, (_, id) => queue.write(insert(id))))
  expect(outcomes).toEqual(Array.from({ length: 100 }, (_, id) => `inserted ${String(id)}`))
  expect(await commits()).toBe(1)
  expect(ids()).toHaveLength(100)
})

test('an outcome is given when the write is in the file, not before', async () => {
  const { queue, insert, commits } = await makeQueue()
  let isSettled = false
  const outcome = queue.write(insert(1)).then(() => (isSettled = true))
  await Promise.resolve()
  expect({ isSettled, commits: await commits() }).not.toEqual({ isSettled: true, commits: 0 })
  await outcome
  expect(await commits()).toBe(1)
})

test('what is committed into a file that was removed meanwhile is unavailable, and so is what follows', async () => {
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
  await queue.drain()
})

test('a transaction takes no more writes than its bound; the rest follow in order', async () => {
  const { queue, insert, commits } = await makeQueue({ maxBatch: 10 })
  const order: number[] = []
  await Promise.all(Array.from({ length: 25 }, (_, id) => queue.write(insert(id)).then(() => order.push(id))))
  expect(await commits()).toBe(3)
  expect(order).toEqual(Array.from({ length: 25 }, (_, id) => id))
})

test('a batch that is full waits for nothing more', async () => {
  const { queue, insert, ids } = await makeQueue({ maxBatch: 10 })
  const outcomes = Promise.all(Array.from({ length: 25 }, (_, id) => queue.write(insert(id))))
  expect(ids()).toHaveLength(20)
  await outcomes
  expect(ids()).toHaveLength(25)
})

test('a write beyond the bound of those that wait is refused at once and not done', async () => {
  const { queue, insert, ids, faults } = await makeQueue({ maxQueued: 3 })
  const outcomes = await Promise.all([1, 2, 3, 4, 5].map((id) => queue.write(insert(id))))
  expect(outcomes).toEqual(['inserted 1', 'inserted 2', 'inserted 3', 'unavailable', 'unavailable'])
  expect(ids()).toEqual([1, 2, 3])
  expect(faults).toEqual([])
  expect(await queue.write(insert(6))).toBe('inserted 6')
})

test('a write that throws takes no other with it, and leaves nothing half done', async () => {
  const { queue, insert, ids, faults } = await makeQueue()
  const outcomes = await Promise.allSettled([queue.write(insert(1)), queue.write(insert(1)), queue.write(insert(2))])
  expect(outcomes).toMatchObject([
    { value: 'inserted 1' },
    { reason: { code: 'SQLITE_CONSTRAINT_PRIMARYKEY' } },
    { value: 'inserted 2' },
  ])
  expect(ids()).toEqual([1, 2])
  // A fault of the statement says nothing of the database.
  expect(faults).toEqual([])
})

test('draining an idle queue is done at once, and draining a busy one when every write has its outcome', async () => {
  const { queue, insert, ids } = await makeQueue({ maxBatch: 2 })
  await queue.drain()
  let settled = 0
  for (let id = 0; id < 7; id++) void queue.write(insert(id)).then(() => settled++)
  await queue.drain()
  expect(settled).toBe(7)
  expect(ids()).toHaveLength(7)
})

test('a full queue can be drained', async () => {
  const { queue, insert, ids } = await makeQueue({ maxQueued: 2 })
  const outcomes = Promise.all([queue.write(insert(1)), queue.write(insert(2))])
  await queue.drain()
  expect(await outcomes).toEqual(['inserted 1', 'inserted 2'])
  expect(ids()).toEqual([1, 2])
})

test('when the wait for the write lock is over every waiting write is refused, and the next waits anew', async () => {
  const { queue, file, insert, ids, faults } = await makeQueue({ lockTimeoutMilliseconds: 20, maxBatch: 1 })
  const other = new Database(file)
  onTestFinished(() => void other.close())
  other.exec('BEGIN IMMEDIATE')
  expect(await Promise.all([queue.write(insert(1)), queue.write(insert(2))])).toEqual(['unavailable', 'unavailable'])
  expect(faults).toHaveLength(1)
  const next = queue.write(insert(3))
  other.exec('COMMIT')
  expect(await next).toBe('inserted 3')
  expect(ids()).toEqual([3])
})
