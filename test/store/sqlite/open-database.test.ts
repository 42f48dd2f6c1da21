import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { UnusableStore } from '../../../src/store/store.ts'
import { applicationId, migrations } from '../../../src/store/sqlite/schema.ts'
import { openSqliteStore } from '../../../src/store/sqlite/store.ts'
import { openDatabase } from '../../../src/store/sqlite/open-database.ts'
import { tableNames } from '../../../src/store/tables.ts'
import { awkwardTexts } from '../../support/client/awkward-texts.ts'
import { startProgram } from '../../support/server/program.ts'
import { runSql, temporaryFile } from '../../support/server/sqlite-file.ts'
import { temporaryFolder } from '../../support/server/start-app.ts'
import { nodeBinary, projectFolder } from '../../support/server/start-process.ts'
import { listText, namesOf } from '../list-text.ts'
import { throwFault } from '../store-suite.ts'
import { storedPlant } from '../../support/plants.ts'

function open(file: string): Database.Database {
  const { database } = openDatabase(file)
  onTestFinished(() => void database.close())
  return database
}

/** Expects a file to be refused in one line that names it. */
function expectRefusal(file: string, message: RegExp): void {
  const refusal = () => open(file)
  expect(refusal).toThrow(UnusableStore)
  expect(refusal).toThrow(message)
  expect(refusal).toThrow(new RegExp(`^[^\n]*${file}[^\n]*$`))
}

/** Expects a file to be refused, with nothing changed in its folder. */
function expectLeftAlone(file: string, message: RegExp): void {
  const bytes = readFileSync(file)
  expectRefusal(file, message)
  expect(readFileSync(file).equals(bytes)).toBe(true)
  expect(readdirSync(dirname(file))).toEqual(['plants.db'])
}

test('the linked SQLite has the fix of the WAL-reset bug (3.51.3)', () => {
  // sqlite.org/wal.html, "The WAL-reset bug".
  const database = new Database(':memory:')
  onTestFinished(() => void database.close())
  const version = database.prepare<[], string>('SELECT sqlite_version()').pluck().get()!
  expect(version.localeCompare('3.51.3', 'en', { numeric: true })).toBeGreaterThanOrEqual(0)
})

test.each([
  ['missing', ''],
  ['empty', 'touch "$0"'],
])('a file that is %s gets the newest schema with strict tables', async (_description, command) => {
  const file = await temporaryFile()
  execFileSync('sh', ['-c', command, file])
  const database = open(file)
  expect(database.pragma('user_version', { simple: true })).toBe(migrations.length)
  expect(database.pragma('application_id', { simple: true })).toBe(applicationId)
  const tables = `SELECT name, strict, wr FROM pragma_table_list
    WHERE schema = 'main' AND name NOT LIKE 'sqlite%' ORDER BY name`
  expect(database.prepare(tables).all()).toEqual(tableNames.toSorted().map((name) => ({ name, strict: 1, wr: 1 })))
})

test('a file from before scopes is migrated, and its tokens keep all rights', async () => {
  const file = await temporaryFile()
  runSql(
    file,
    `${migrations.slice(0, 2).join('')} PRAGMA application_id = ${String(applicationId)}; PRAGMA user_version = 2;
     INSERT INTO tokens (hash, prefix, caller, issued_at) VALUES (x'00', 'plst_old', 'me', 1);
     INSERT INTO plants (caller, id, name) VALUES ('you', 9223372036854775807, 'Monstera')`,
  )
  const old = new Database(file)
  const create = old.prepare('INSERT INTO plants (caller, id, name, tag) VALUES (?, ?, ?, ?)')
  for (const [index, [, text]] of awkwardTexts.entries()) create.run('me', BigInt(2 * index), text, text)
  old.close()
  const store = openSqliteStore({ file, onFault: throwFault })
  onTestFinished(() => store.close())
  expect(await store.findCaller(Buffer.alloc(1), 2)).toStrictEqual({ caller: 'me', scope: undefined })
  expect(await namesOf(store, 'you')).toEqual(['Monstera'])
  expect(await store.delete('you', 2n ** 63n - 1n)).toBe('deleted')
  expect(await store.create('me', storedPlant({ id: 0n, name: 'Monstera' }))).toBe('exists')
  expect(await store.create('me', storedPlant({ id: 1n, name: 'Monstera' }))).toBe('created')
  // Plants are kept byte for byte.
  const plants = awkwardTexts.map(([, text]) => ({ name: text, tag: text }))
  expect(JSON.parse(await listText(store, 'me'))).toMatchObject([plants[0], { name: 'Monstera' }, ...plants.slice(1)])
})

test.each([
  ['its JSON as a text', `json TEXT NOT NULL DEFAULT '{"kind":"old"}', `],
  [
    'the JSON of other columns',
    `json TEXT NOT NULL GENERATED ALWAYS AS ('{"kind":' || json_quote(tag) || '}') STORED, `,
  ],
  ['no JSON', ''],
])('a file with %s gets the JSON of its columns', async (_description, column) => {
  const file = await temporaryFile()
  const { plants, others } = await newSchema()
  runSql(
    file,
    `CREATE TABLE beds (caller TEXT, plant INTEGER, FOREIGN KEY (caller, plant) REFERENCES plants ON DELETE CASCADE);
     ${plants.replace(/json .* STORED, /, () => column)}; ${others.join(';')}; CREATE INDEX by_tag ON plants (caller, tag);
     PRAGMA application_id = ${String(applicationId)}; PRAGMA user_version = ${String(migrations.length)};
     INSERT INTO plants (caller, id, name, tag) VALUES ('me', 1, 'Monstera', 'indoor');
     INSERT INTO beds VALUES ('me', 1)`,
  )
  const store = openSqliteStore({ file, onFault: throwFault })
  onTestFinished(() => store.close())
  expect(JSON.parse(await listText(store, 'me'))).toMatchObject([{ name: 'Monstera', tag: 'indoor' }])
  const database = open(file)
  expect(database.prepare('SELECT count(*) FROM beds').pluck().get()).toBe(1)
  expect(database.pragma('foreign_keys', { simple: true })).toBe(1)
  expect(database.prepare(`SELECT count(*) FROM sqlite_schema WHERE name = 'by_tag'`).pluck().get()).toBe(1)
})

/** The statements that make a new file: that of `plants`, and all others. */
async function newSchema(): Promise<{ plants: string; others: string[] }> {
  const database = open(await temporaryFile())
  const read = (condition: string) =>
    database.prepare<[], string>(`SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND ${condition}`).pluck().all()
  return { plants: read(`name = 'plants'`)[0]!, others: read(`name <> 'plants'`) }
}

describe('an open database', () => {
  test('uses a write-ahead log and full sync, also when it is opened again', async () => {
    const file = await temporaryFile()
    for (const database of [open(file), open(file)]) {
      expect(database.pragma('journal_mode', { simple: true })).toBe('wal')
      const full = 2
      expect(database.pragma('synchronous', { simple: true })).toBe(full)
    }
  })

  test('truncates a log that a long read has let grow', async () => {
    const file = await temporaryFile()
    const [reader, writer] = [open(file), open(file)]
    reader.exec('BEGIN; SELECT count(*) FROM plants')
    const fill = writer.prepare(`INSERT INTO plants (caller, id, name) VALUES ('me', ?, hex(randomblob(400000)))`)
    for (let id = 0; id < 21; id++) fill.run(id)
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(16_000_000)
    reader.exec('ROLLBACK')
    // The first commit is the last in this log; the second begins it anew.
    for (let id = 21; id < 23; id++) fill.run(id)
    expect(statSync(`${file}-wal`).size).toBe(8 * 1_024 * 1_024)
  })
})

const ours = `PRAGMA application_id = ${String(applicationId)};`

test.each<[string, string | Buffer, RegExp]>([
  ['a text', 'my plants\n', /is not an SQLite database/],
  ['the beginning of a header', 'SQLite format 3\0', /is not an SQLite database/],
  ['a header and nonsense', `SQLite format 3\0${'\0'.repeat(1_000)}`, /^cannot open the database/],
])('%s is refused and left unchanged', async (_description, content, message) => {
  const file = await temporaryFile()
  writeFileSync(file, content)
  expectLeftAlone(file, message)
})

test.each<[string, string, RegExp]>([
  [
    'from the future',
    `${ours} PRAGMA user_version = ${String(migrations.length + 1)}; CREATE TABLE plants (x)`,
    /schema version \d+.*start a newer release/,
  ],
  ['of another program', 'CREATE TABLE notes (text)', /of another program/],
  ['of another program, with its id', 'CREATE TABLE notes (text); PRAGMA application_id = 5', /of another program/],
  ['of another program, with a log', 'PRAGMA journal_mode = WAL; CREATE TABLE notes (text)', /of another program/],
])('a database %s is refused and left unchanged', async (_description, sql, message) => {
  const file = await temporaryFile()
  runSql(file, sql)
  expectLeftAlone(file, message)
})

test('a path where no file can be created is refused', async () => {
  const folder = await temporaryFolder()
  mkdirSync(join(folder, 'plants.db'))
  expectRefusal(join(folder, 'plants.db'), / is a folder; name a file in it; nothing was changed$/)
  writeFileSync(join(folder, 'file'), 'x')
  // Not even root makes a file or a folder in /proc.
  for (const path of [join(folder, 'file'), '/proc', '/proc/folder', '/proc/folder/folder']) {
    expectRefusal(join(path, 'plants.db'), /^cannot open the database/)
  }
})

test.each([
  [
    'ALTER TABLE plants RENAME TO lost',
    /lacks plants\.caller TEXT NOT NULL PRIMARY KEY, .*; if the file was changed, restore a backup/,
  ],
  ['ALTER TABLE tokens DROP COLUMN scope', / lacks tokens\.scope TEXT, unlike what its migrations make: /],
  [
    'ALTER TABLE plants RENAME COLUMN tag TO label',
    / lacks plants\.tag TEXT and has plants\.label TEXT, .* edited after it had run, .* npm run dev -- --fresh; /,
  ],
])('a file after %s is refused', async (change, message) => {
  const file = await temporaryFile()
  await openSqliteStore({ file, onFault: throwFault }).close()
  runSql(file, change)
  expectRefusal(file, message)
})

/** Runs a module in another process. @returns the process, once it has printed something */
function run(program: string, ...parameters: string[]) {
  const command = [nodeBinary, '--input-type=module', '-e', program, ...parameters]
  return startProgram(command, { cwd: projectFolder }, (stdout) => stdout !== '')
}

test('a start waits for another process that locks a file without a log', async () => {
  const file = await temporaryFile()
  await openSqliteStore({ file, onFault: throwFault }).close()
  runSql(file, 'PRAGMA journal_mode = DELETE')
  const program = `
    import Database from 'better-sqlite3'
    const database = new Database(process.argv[1])
    database.exec(process.argv[2])
    process.stdout.write('locked')
    setTimeout(() => database.close(), 300)`
  // Each holds another lock: for writing, for all, and for reading.
  for (const lock of ['BEGIN IMMEDIATE', 'BEGIN EXCLUSIVE', 'BEGIN; SELECT count(*) FROM plants']) {
    const { ended } = await run(program, file, lock)
    const { database } = openDatabase(file)
    expect(database.pragma('journal_mode', { simple: true })).toBe('wal')
    database.pragma('journal_mode = DELETE')
    database.close()
    await ended
  }
})

test('several processes that open a new file migrate it once', async () => {
  const file = await temporaryFile()
  const program = `
    import { openSqliteStore } from './src/store/sqlite/store.ts'
    import { storedPlant } from './test/support/plants.ts'
    const store = openSqliteStore({ file: process.argv[1], onFault: (error) => console.log(error.message) })
    process.stdout.write(await store.create('me', storedPlant({ id: BigInt(process.pid), name: 'a' })))
    await store.close()`
  const processes = await Promise.all(Array.from({ length: 4 }, () => run(program, file)))
  await Promise.all(processes.map(({ ended }) => ended))
  expect(processes.map(({ stdout }) => stdout())).toEqual(['created', 'created', 'created', 'created'])
  const database = open(file)
  expect(database.pragma('user_version', { simple: true })).toBe(migrations.length)
  expect(database.prepare('SELECT count(*) FROM plants').pluck().get()).toBe(4)
})
