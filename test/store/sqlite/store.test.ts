import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../../src/store/sqlite/open-database.ts'
import { type SqliteStoreOptions, openSqliteStore } from '../../../src/store/sqlite/store.ts'
import { prepareReads } from '../../../src/store/sqlite/statements.ts'
import type { Store } from '../../../src/store/store.ts'
import { temporaryFolder } from '../../support/server/start-app.ts'
import { listText } from '../list-text.ts'
import { storeSuite, throwFault } from '../store-suite.ts'

storeSuite('SQLite', {
  makeLocation: temporaryFile,
  open: (file, onFault = throwFault) => openSqliteStore({ file, onFault }),
})

async function temporaryFile(): Promise<string> {
  return join(await temporaryFolder(), 'plants.db')
}

interface TestStore {
  store: Store
  file: string
  faults: Error[]
}

async function openTestStore(options: Partial<SqliteStoreOptions> = {}): Promise<TestStore> {
  const file = await temporaryFile()
  const faults: Error[] = []
  const store = openSqliteStore({ file, onFault: (error) => void faults.push(error), ...options })
  onTestFinished(() => store.close())
  return { store, file, faults }
}

test('of hundreds of lists that are asked for at once each has the plants of its caller', async () => {
  const { store } = await openTestStore()
  const callers = Array.from({ length: 300 }, (_, index) => `caller ${String(index)}`)
  await Promise.all(callers.map((caller) => store.create(caller, { id: 1n, name: caller })))
  expect(await Promise.all(callers.map((caller) => listText(store, caller)))).toEqual(
    callers.map((caller) => `[{"name":"${caller}"}]`),
  )
})

/** Another process's connection. */
function connect(file: string): Database.Database {
  const connection = new Database(file)
  onTestFinished(() => void connection.close())
  return connection
}

test('the list is the text that JSON.stringify gives, whatever the texts are', async () => {
  const { store } = await openTestStore()
  const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }).filter((value) => !value.includes('\0'))
  const every = Array.from({ length: 0x2_100 }, (_, code) => String.fromCodePoint(code + 1))
  let callers = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ name: text, tag: text }, { requiredKeys: ['name'] }), { maxLength: 30 }),
      async (plants) => {
        const caller = `caller ${String(++callers)}`
        await Promise.all(plants.map((plant, index) => store.create(caller, { id: BigInt(index), ...plant })))
        expect(await listText(store, caller)).toBe(JSON.stringify(plants))
      },
    ),
    { numRuns: 50, examples: [[every.map((name) => ({ name }))]] },
  )
})

test('each statement that lists walks the primary key and sorts nothing', async () => {
  const { reader, writer } = openDatabase(await temporaryFile())
  onTestFinished(() => {
    reader.close()
    writer.close()
  })
  const { shortList, page, idBehind } = prepareReads(reader)
  const planOf = (sql: string, ...parameters: unknown[]) =>
    reader
      .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...parameters)
      .map(({ detail }) => detail)
  for (const plan of [
    planOf(shortList.source, 'me', 1),
    planOf(page.source, 'me', 1n, 1),
    planOf(idBehind.source, 'me', 1n, 1),
  ]) {
    expect(plan.join('\n')).toMatch(/SEARCH plants USING PRIMARY KEY \(caller=\?/)
    expect(plan.join('\n')).not.toMatch(/TEMP B-TREE|SCAN plants/)
  }
  expect(planOf(page.source, 'me', 1n, 1).join('\n')).toContain('(caller=? AND id>?)')
})

test('what was acknowledged is in the files that a process leaves behind when it dies', async () => {
  const { store, file } = await openTestStore()
  await store.create('me', { id: 1n, name: 'a' })
  const copy = await temporaryFile()
  await copyFile(file, copy)
  await copyFile(`${file}-wal`, `${copy}-wal`)
  const recovered = openSqliteStore({ file: copy, onFault: () => undefined })
  onTestFinished(() => recovered.close())
  expect(await listText(recovered, 'me')).toBe('[{"name":"a"}]')
})

describe('while another connection holds the write lock', () => {
  test('writes wait and reads go on; when the lock is released the writes are done', async () => {
    const { store, file, faults } = await openTestStore()
    await store.create('me', { id: 1n, name: 'a' })
    const other = connect(file)
    other.exec(`BEGIN IMMEDIATE; INSERT INTO plants (caller, id, name) VALUES ('me', 2, 'of the other')`)
    const outcomes = Promise.all([
      store.create('me', { id: 2n, name: 'b' }),
      store.create('me', { id: 3n, name: 'c' }),
      store.delete('me', 1n),
    ])
    expect(await listText(store, 'me')).toBe('[{"name":"a"}]')
    expect(await store.isReady()).toBe(true)
    other.exec('COMMIT')
    expect(await outcomes).toEqual(['exists', 'created', 'deleted'])
    expect(await listText(store, 'me')).toBe('[{"name":"of the other"},{"name":"c"}]')
    expect(faults).toEqual([])
  })

  test('writes are unavailable when the wait is over, nothing has changed, and reads go on', async () => {
    const { store, file, faults } = await openTestStore({ lockTimeoutMilliseconds: 30 })
    await store.create('me', { id: 1n, name: 'a' })
    const other = connect(file)
    other.exec('BEGIN IMMEDIATE')
    expect(await Promise.all([store.create('me', { id: 2n, name: 'b' }), store.delete('me', 1n)])).toEqual([
      'unavailable',
      'unavailable',
    ])
    expect(faults).toMatchObject([{ code: 'SQLITE_BUSY' }])
    expect(await listText(store, 'me')).toBe('[{"name":"a"}]')
    other.exec('ROLLBACK')
    expect(await listText(store, 'me')).toBe('[{"name":"a"}]')
    expect(await store.create('me', { id: 2n, name: 'b' })).toBe('created')
  })

  test('closing waits for the writes that wait', async () => {
    const { store, file } = await openTestStore()
    const other = connect(file)
    other.exec('BEGIN IMMEDIATE')
    const outcome = store.create('me', { id: 1n, name: 'a' })
    const closed = store.close()
    await new Promise((resolve) => setTimeout(resolve, 20))
    other.exec('COMMIT')
    expect(await outcome).toBe('created')
    await closed
    expect(other.prepare('SELECT name FROM plants').pluck().all()).toEqual(['a'])
  })
})

test('when the file can grow no more, writes are unavailable, what was acknowledged stays, reads go on', async () => {
  const file = await temporaryFile()
  const script = `
    import { openSqliteStore } from ${JSON.stringify(join(import.meta.dirname, '../../../src/store/sqlite/store.ts'))}
    const faults = []
    const store = openSqliteStore({ file: process.argv[1], onFault: ({ code }) => faults.push(code) })
    const name = '\\u{1f331}'.repeat(255)
    let created = 0
    while (created < 10_000 && (await store.create('me', { id: BigInt(created), name })) === 'created') created++
    const again = await store.create('me', { id: -1n, name })
    const list = await store.list('me', 1)
    console.log(JSON.stringify({ created, again, list: list.chunks, faults }))
    process.exit()`
  // The limit on a file's size is the kernel's own; without the trap its signal would end the process.
  const child = spawn(
    'bash',
    [
      '-c',
      `trap '' XFSZ; ulimit -f 400; exec "$0" --input-type=module -e "$1" "$2"`,
      join(import.meta.dirname, '../../../node_modules/.bin/node'),
      script,
      file,
    ],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  onTestFinished(() => void child.kill())
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  await once(child, 'close')
  const { created, again, list, faults } = JSON.parse(output) as {
    created: number
    again: string
    list: string
    faults: string[]
  }
  expect(created).toBeGreaterThan(10)
  expect(created).toBeLessThan(10_000)
  expect(again).toBe('unavailable')
  expect(faults).toHaveLength(2)
  expect(faults.join()).toMatch(/^SQLITE_(?:FULL|IOERR\w*),SQLITE_(?:FULL|IOERR\w*)$/)
  expect(JSON.parse(list)).toHaveLength(1)
  const store = openSqliteStore({ file, onFault: () => undefined })
  onTestFinished(() => store.close())
  expect(JSON.parse(await listText(store, 'me'))).toHaveLength(created)
  expect(await store.create('me', { id: -1n, name: 'a' })).toBe('created')
})
