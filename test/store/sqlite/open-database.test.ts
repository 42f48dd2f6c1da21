import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { UnusableStore } from '../../../src/store/store.ts'
import { migrations } from '../../../src/store/sqlite/schema.ts'
import { openSqliteStore } from '../../../src/store/sqlite/store.ts'
import { type SqliteConnections, openDatabase } from '../../../src/store/sqlite/open-database.ts'
import { temporaryFolder } from '../../support/server/start-app.ts'

const project = join(import.meta.dirname, '../../..')
const applicationId = 0x506c6e74

function open(file: string): SqliteConnections {
  const connections = openDatabase(file)
  onTestFinished(() => {
    connections.reader.close()
    connections.writer.close()
  })
  return connections
}

/** Makes a database with SQLite alone, as another program would. */
function makeDatabase(file: string, sql: string): void {
  const database = new Database(file)
  database.exec(sql)
  database.close()
}

test('the linked SQLite does not lose acknowledged writes when the log is reset, as versions before 3.51.3 can', () => {
  // sqlite.org/wal.html, "The WAL-reset bug".
  const database = new Database(':memory:')
  onTestFinished(() => void database.close())
  const version = database.prepare<[], string>('SELECT sqlite_version()').pluck().get()!
  expect(version.localeCompare('3.51.3', 'en', { numeric: true })).toBeGreaterThanOrEqual(0)
})

describe('a new file', () => {
  test('is made with its folders', async () => {
    const file = join(await temporaryFolder(), 'a', 'b c', 'plants.db')
    open(file)
    expect(existsSync(file)).toBe(true)
  })

  test('has the newest schema version and the application id', async () => {
    const { writer } = open(join(await temporaryFolder(), 'plants.db'))
    expect(writer.pragma('user_version', { simple: true })).toBe(migrations.length)
    expect(writer.pragma('application_id', { simple: true })).toBe(applicationId)
  })

  test('may have been there with no byte in it', async () => {
    const file = join(await temporaryFolder(), 'plants.db')
    await writeFile(file, '')
    expect(open(file).reader.pragma('user_version', { simple: true })).toBe(migrations.length)
  })

  test('may have been there as a database without a table', async () => {
    const file = join(await temporaryFolder(), 'plants.db')
    makeDatabase(file, 'VACUUM')
    expect(open(file).reader.pragma('user_version', { simple: true })).toBe(migrations.length)
  })
})

test('a file of the release before scopes is migrated, and its tokens keep all rights', async () => {
  const file = join(await temporaryFolder(), 'plants.db')
  makeDatabase(
    file,
    `${migrations.slice(0, 2).join('')} PRAGMA application_id = ${String(applicationId)}; PRAGMA user_version = 2;
     INSERT INTO tokens (hash, prefix, caller, issued_at) VALUES (x'00', 'plst_old', 'me', 1)`,
  )
  const store = openSqliteStore({ file, onFault: () => undefined })
  onTestFinished(() => store.close())
  expect(await store.findCaller(Buffer.alloc(1), 2)).toStrictEqual({ caller: 'me', scope: undefined })
})

describe('the open connections', () => {
  test('write ahead to a log and wait for the disk', async () => {
    const { reader, writer } = open(join(await temporaryFolder(), 'plants.db'))
    for (const connection of [reader, writer]) expect(connection.pragma('journal_mode', { simple: true })).toBe('wal')
    const full = 2
    expect(writer.pragma('synchronous', { simple: true })).toBe(full)
  })

  test('still do so when the file is opened again', async () => {
    const file = join(await temporaryFolder(), 'plants.db')
    open(file)
    const { writer } = open(file)
    expect([writer.pragma('journal_mode', { simple: true }), writer.pragma('synchronous', { simple: true })]).toEqual([
      'wal',
      2,
    ])
  })

  test('cut a log that grew behind a long read when it is begun anew', async () => {
    const file = join(await temporaryFolder(), 'plants.db')
    const { reader, writer } = open(file)
    reader.exec('BEGIN; SELECT count(*) FROM plants')
    const fill = writer.prepare(`INSERT INTO plants (caller, id, name) VALUES ('me', ?, hex(randomblob(400000)))`)
    for (let id = 0; id < 21; id++) fill.run(id)
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(16_000_000)
    reader.exec('ROLLBACK')
    // The first commit is the last in this log; the second begins it anew.
    for (let id = 21; id < 23; id++) fill.run(id)
    expect(statSync(`${file}-wal`).size).toBe(8 * 1_024 * 1_024)
  })

  test('read without being able to write', async () => {
    const { reader } = open(join(await temporaryFolder(), 'plants.db'))
    expect(() => reader.exec(`INSERT INTO plants (caller, id, name) VALUES ('me', 1, 'a')`)).toThrow(
      expect.objectContaining({ code: 'SQLITE_READONLY' }),
    )
  })

  test('have strict tables, clustered by their keys', async () => {
    const { reader, writer } = open(join(await temporaryFolder(), 'plants.db'))
    expect(
      reader
        .prepare(
          `SELECT name, strict, wr FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite%' ` +
            'ORDER BY name',
        )
        .all(),
    ).toEqual([
      { name: 'plants', strict: 1, wr: 1 },
      { name: 'tokens', strict: 1, wr: 1 },
    ])
    expect(() => writer.exec(`INSERT INTO plants (caller, id, name) VALUES ('me', 'x', 'a')`)).toThrow(
      /cannot store TEXT value in INTEGER column/,
    )
  })
})

describe('a file that is not ours to use', () => {
  test.each<[string, (file: string) => Promise<void> | void, RegExp]>([
    ['a text', (file) => writeFile(file, 'my plants\n'), /is not an SQLite database/],
    ['a text longer than a header', (file) => writeFile(file, 'my plants\n'.repeat(100)), /is not an SQLite database/],
    ['the beginning of a header', (file) => writeFile(file, 'SQLite format 3\0'), /is not an SQLite database/],
    [
      'a header and nonsense',
      (file) => writeFile(file, Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(1_000)])),
      /^cannot open the database/,
    ],
    [
      'a schema from the future',
      (file) => {
        makeDatabase(
          file,
          `PRAGMA application_id = ${String(applicationId)}; ` +
            `PRAGMA user_version = ${String(migrations.length + 1)}; CREATE TABLE plants (x)`,
        )
      },
      /schema version \d+.*start a newer release/,
    ],
    [
      "another program's database",
      (file) => {
        makeDatabase(file, 'CREATE TABLE notes (text)')
      },
      /of another program/,
    ],
    [
      "another program's database with a version",
      (file) => {
        makeDatabase(file, 'CREATE TABLE notes (text); PRAGMA user_version = 1')
      },
      /of another program/,
    ],
    [
      "another program's database with an application id",
      (file) => {
        makeDatabase(file, 'CREATE TABLE notes (text); PRAGMA application_id = 252006673')
      },
      /of another program/,
    ],
    [
      "another program's database with a log",
      (file) => {
        makeDatabase(file, 'PRAGMA journal_mode = WAL; CREATE TABLE notes (text)')
      },
      /of another program/,
    ],
  ])('%s is refused with one line and left as it was', async (_description, make, message) => {
    const folder = await temporaryFolder()
    const file = join(folder, 'plants.db')
    await make(file)
    const before = await readFile(file)
    const error = unusable(file)
    expect(error.message).toMatch(message)
    expect(error.message).toContain(file)
    expect(error.message).not.toContain('\n')
    expect((await readFile(file)).equals(before)).toBe(true)
    expect(await readdir(folder)).toEqual(['plants.db'])
  })

  test('a folder in its place is refused with one line that says so', async () => {
    const file = join(await temporaryFolder(), 'plants.db')
    await mkdir(file)
    expect(unusable(file).message).toBe(`cannot open the database ${file}: it is a folder; name a file in it`)
    expect(await readdir(file)).toEqual([])
  })

  test('a path that leads through a file is refused with one line', async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'file'), 'x')
    expect(unusable(join(folder, 'file', 'plants.db')).message).toMatch(/^cannot open the database [^\n]*$/)
    expect(await readFile(join(folder, 'file'), 'utf8')).toBe('x')
  })

  test.each(['/proc/plants.db', '/proc/folder/plants.db', '/proc/folder/folder/plants.db'])(
    'a folder in which nothing can be made is refused with one line: %s',
    (file) => {
      // Not even root makes a file or a folder there.
      const { message } = unusable(file)
      expect(message).toMatch(/^cannot open the database [^\n]*$/)
      expect(message).toContain(file)
    },
  )
})

test.each([
  ['DROP TABLE plants', /lacks a part of its schema \(no such table: plants\); restore a backup$/],
  ['DROP TABLE tokens', /lacks a part of its schema \(no such table: tokens\); restore a backup$/],
  ['ALTER TABLE tokens DROP COLUMN scope', /lacks a part of its schema \(no such column: scope\); restore a backup$/],
])('a file after %s is refused with one line', async (change, message) => {
  const file = join(await temporaryFolder(), 'plants.db')
  await openSqliteStore({ file, onFault: () => undefined }).close()
  makeDatabase(file, change)
  expect(unusable(file).message).toMatch(message)
  expect(unusable(file).message).toContain(file)
})

test('a start waits while another process holds the lock of a file that has no write-ahead log yet', async () => {
  const file = join(await temporaryFolder(), 'plants.db')
  await openSqliteStore({ file, onFault: () => undefined }).close()
  makeDatabase(file, 'PRAGMA journal_mode = DELETE')
  const script = `
    import Database from 'better-sqlite3'
    const database = new Database(process.argv[1])
    database.exec(process.argv[2])
    process.stdout.write('locked')
    setTimeout(() => database.close(), 1_000)`
  // Each holds another lock: for writing, for all, and for reading.
  for (const lock of ['BEGIN IMMEDIATE', 'BEGIN EXCLUSIVE', 'BEGIN; SELECT count(*) FROM plants']) {
    const child = spawn(join(project, 'node_modules/.bin/node'), ['--input-type=module', '-e', script, file, lock], {
      cwd: project,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill())
    await once(child.stdout, 'data')
    const { reader, writer } = openDatabase(file)
    expect(writer.pragma('journal_mode', { simple: true })).toBe('wal')
    reader.close()
    writer.pragma('journal_mode = DELETE')
    writer.close()
    await once(child, 'close')
  }
})

test('several processes that start at once on a new file migrate it once, and all of them work', async () => {
  const file = join(await temporaryFolder(), 'plants.db')
  const script = `
    import { openSqliteStore } from ${JSON.stringify(join(project, 'src/store/sqlite/store.ts'))}
    const store = openSqliteStore({ file: process.argv[1], onFault: (error) => console.error(error.message) })
    process.stdout.write(await store.create('me', { id: BigInt(process.pid), name: 'a' }))
    await store.close()`
  const runs = Array.from({ length: 4 }, async () => {
    const child = spawn(join(project, 'node_modules/.bin/node'), ['--input-type=module', '-e', script, file], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    onTestFinished(() => void child.kill())
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    await once(child, 'close')
    return output
  })
  expect(await Promise.all(runs)).toEqual(['created', 'created', 'created', 'created'])
  const { reader } = open(file)
  expect(reader.pragma('user_version', { simple: true })).toBe(migrations.length)
  expect(reader.prepare('SELECT count(*) FROM plants').pluck().get()).toBe(4)
})

function unusable(file: string): UnusableStore {
  try {
    open(file)
  } catch (error) {
    if (error instanceof UnusableStore) return error
    throw error
  }
  throw new Error(`${file} was opened`)
}
