import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { backUp } from '../../../scripts/backup.ts'
import { restore } from '../../../scripts/restore.ts'
import { startProgram } from '../../support/server/program.ts'
import { readColumn, runSql } from '../../support/server/sqlite-file.ts'
import { temporaryFolder } from '../../support/server/start-app.ts'
import { nodeBinary, projectFolder, runScript } from '../../support/server/start-process.ts'
import { servedDatabase } from '../../support/server/served-database.ts'

const namesIn = (file: string) => readColumn(file, 'SELECT name FROM plants')

/** Runs shell commands with files as `$0` and `$1`. @returns what they print */
function shell(commands: string, ...files: string[]): string {
  return execFileSync('sh', ['-c', commands, ...files], { encoding: 'utf8' })
}

/** The checksum of each file in a folder; the folder may be missing. */
function contentOf(folder: string): string {
  return shell('find "$0" -type f -exec sha256sum {} + 2>&1 | sort', folder)
}

/** Makes a database with one plant in a folder of its own, and a copy of it. */
async function databaseWithCopy(): Promise<{ file: string; copy: string; folder: string }> {
  const folder = await temporaryFolder()
  const { file } = await servedDatabase(folder)
  runSql(file, `INSERT INTO plants (caller, id, name) VALUES ('me', 1, 'saved')`)
  const copy = join(folder, 'copy.db')
  expect(await backUp(file, copy)).toMatchObject({ plants: 1, tokens: 1 })
  return { file, copy, folder }
}

test('a backup during writes holds one moment, and the writes continue', async () => {
  const { file, serve } = await servedDatabase()
  runSql(
    file,
    `WITH RECURSIVE ids (id) AS (SELECT 0 UNION ALL SELECT id + 1 FROM ids WHERE id < 50000)
     INSERT INTO plants (caller, id, name) SELECT 'someone', id, 'Monstera' FROM ids`,
  )
  const server = await serve()
  let acknowledged = 0
  let isOver = false
  async function write(): Promise<void> {
    // The backup's end changes this variable.
    for (let id = 100_000; !isOver; id++) {
      expect(await server.create(id)).toBe(200)
      acknowledged++
    }
  }
  const writing = write()
  await expect.poll(() => acknowledged).toBeGreaterThan(3)
  const before = acknowledged
  const copy = join(await temporaryFolder(), 'copy.db')
  const printed = await runScript('scripts/backup.ts', [copy], { DATABASE_URL: `sqlite:${file}` })
  const after = acknowledged
  isOver = true
  await writing

  expect(printed.stdout).toMatch(/copy\.db: .*\d+ plants.* in \d+ bytes, verified\n$/)
  const copied = namesIn(copy).filter((name) => name !== 'Monstera')
  // The writer waits for its last plant before it creates the next, so a snapshot has no gaps.
  expect(copied).toEqual(Array.from(copied, (_, index) => String(100_000 + index)))
  expect(copied.length).toBeGreaterThanOrEqual(before)
  expect(copied.length).toBeLessThanOrEqual(after + 1)
  expect(after).toBeGreaterThan(before)
})

test('a backup is one complete file, readable by its owner only', async () => {
  const umask = process.umask(0)
  const { copy, folder } = await databaseWithCopy().finally(() => process.umask(umask))
  expect(readdirSync(folder).sort()).toEqual(['copy.db', 'plants.db'])
  expect(statSync(copy).mode & 0o777).toBe(0o600)
  const database = new Database(copy, { readonly: true })
  onTestFinished(() => void database.close())
  expect(database.pragma('journal_mode', { simple: true })).toBe('delete')
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
})

const overwrite = (bytes: string, place: number) =>
  `printf '${bytes}' | dd of=$0 bs=1 seek=${String(place)} conv=notrunc status=none`
const anotherProgram = overwrite('abcd', 68)
const damage = overwrite('\\377'.repeat(200), 8_192)

test.each([
  ['a copy that is there already', 'cp $0 $(dirname $0)/new.db', /new\.db already exists; nothing was changed/],
  ['a symbolic link', 'ln -s elsewhere.db $(dirname $0)/new.db', /new\.db already exists; nothing was changed/],
  ['a database that is not there', 'rm $0', /there is no database .*plants\.db; name another with/],
  ["another program's database", anotherProgram, /is not a database of this service/],
  ['a damaged database', damage, /(?:cannot be copied|is damaged).*; docs\/operating\.md says how to save the rest/],
])('a backup changes nothing if there is %s', async (_description, commands, message) => {
  const folder = await temporaryFolder()
  const { file } = await servedDatabase(folder)
  shell(commands, file)
  const before = readdirSync(folder)
  await expect(backUp(file, join(folder, 'new.db'))).rejects.toThrow(message)
  expect(readdirSync(folder)).toEqual(before)
})

test('backup and restore drop the free pages of deleted plants', async () => {
  const { file, copy, folder } = await databaseWithCopy()
  runSql(
    file,
    `WITH RECURSIVE ids (id) AS (SELECT 10 UNION ALL SELECT id + 1 FROM ids WHERE id < 10000)
     INSERT INTO plants (caller, id, name) SELECT 'me', id, 'Monstera' FROM ids;
     DELETE FROM plants WHERE id >= 10`,
  )
  const [size, second] = [statSync(file).size, join(folder, 'second.db')]
  await backUp(file, second)
  expect(statSync(second).size).toBeLessThanOrEqual(statSync(copy).size)
  restore(second, file, true)
  expect(statSync(file).size).toBeLessThan(size / 10)
  expect(namesIn(file)).toEqual(['saved'])
})

test('a restore removes the write-ahead log of a killed server', async () => {
  const { copy, folder } = await databaseWithCopy()
  const { file, serve } = await servedDatabase(folder)
  const first = await serve()
  expect(await first.create(8)).toBe(200)
  await first.end('SIGKILL')
  expect(existsSync(`${file}-wal`)).toBe(true)
  const printed = await runScript('scripts/restore.ts', [copy, '--force'], { DATABASE_URL: `sqlite:${file}` })
  expect(printed).toMatchObject({ code: 0, stdout: expect.stringMatching(/ 1 plant.*, restored from /) as string })
  expect(namesIn(file)).toEqual(['saved'])
  expect(readdirSync(folder).sort()).toEqual(['copy.db', 'plants.db'])
})

test('an existing database, even a damaged one, is replaced only with --force', async () => {
  const { file, copy, folder } = await databaseWithCopy()
  shell(`${damage}; echo nonsense > $0-wal`, file)
  const before = contentOf(folder)
  expect(() => restore(copy, file, false)).toThrow(/already exists; replace it with --force; nothing was changed/)
  expect(contentOf(folder)).toEqual(before)
  restore(copy, file, true)
  expect(namesIn(file)).toEqual(['saved'])
  expect(readdirSync(folder).sort()).toEqual(['copy.db', 'plants.db'])
})

/** Opens a database in another process, as a server does, until the test is finished. */
async function holdOpen(file: string) {
  const program = `
    import { openDatabase } from './src/store/sqlite/open-database.ts'
    globalThis.database = openDatabase(process.argv[1])
    console.log('open')
    setInterval(() => undefined, 1_000)`
  const command = [nodeBinary, '--input-type=module', '-e', program, file]
  const opened = await startProgram(command, { cwd: projectFolder }, (stdout) => stdout !== '')
  onTestFinished(() => opened.end('SIGKILL'))
  return opened
}

test.each([
  ['as it is', ':', 'plants.db'],
  ['under a hard link', 'ln $0 $1/hard.db', 'hard.db'],
  ['behind a symbolic link', 'ln -s $0 $1/soft.db', 'soft.db'],
  ['that was removed without its log', 'rm $0', 'plants.db'],
  ['whose folder was removed', 'rm -r $1', 'plants.db'],
])('an open database %s is not replaced, and the message names the process', async (_kind, commands, name) => {
  const { copy, folder } = await databaseWithCopy()
  const data = join(folder, 'data')
  const { file } = await servedDatabase(data)
  const { pid } = await holdOpen(file)
  shell(commands, file, data)
  const before = contentOf(data)
  const message = new RegExp(`is open in process ${String(pid)}, as .*plants\\.db.*; nothing was changed`)
  expect(() => restore(copy, join(data, name), true)).toThrow(message)
  expect(contentOf(data)).toEqual(before)
})

test('a restore keeps mode and symbolic link; a new file is for its owner only', async () => {
  const { file, copy, folder } = await databaseWithCopy()
  const umask = process.umask(0)
  onTestFinished(() => void process.umask(umask))
  chmodSync(file, 0o640)
  chmodSync(copy, 0o444)
  const fresh = join(folder, 'new', 'plants.db')
  symlinkSync('plants.db', join(folder, 'to-old.db'))
  symlinkSync('new/plants.db', join(folder, 'to-new.db'))
  for (const link of ['to-old.db', 'to-new.db']) restore(copy, join(folder, link), true)
  expect([file, dirname(fresh), fresh].map((path) => statSync(path).mode & 0o777)).toEqual([0o640, 0o700, 0o600])
  for (const target of [file, fresh]) expect(namesIn(target)).toEqual(['saved'])
  expect(readdirSync(folder).sort()).toEqual(['copy.db', 'new', 'plants.db', 'to-new.db', 'to-old.db'])
})

const isRoot = process.getuid?.() === 0

test.runIf(isRoot)('a restore by root keeps the owner of the old file or of its folder', async () => {
  const { file, copy, folder } = await databaseWithCopy()
  const nobody = 65_534
  shell(`mkdir $1/data; chown ${String(nobody)}:${String(nobody)} $0 $1/data`, file, folder)
  for (const target of [file, join(folder, 'data', 'plants.db')]) {
    restore(copy, target, true)
    expect(statSync(target)).toMatchObject({ uid: nobody, gid: nobody })
  }
})

test.each([
  ['the database under another name', 'ln -f $1 $0', /is the database itself/],
  ['a copy with a journal beside it', 'echo x > $0-journal', /copy\.db-journal exists/],
  ['a folder', 'rm $0; mkdir $0', /copy\.db is a folder; name a file in it; nothing/],
  ['a copy that is cut short', 'truncate -s 5000 $0', /is damaged/],
  ['a text', 'seq 999 > $0', /\/copy\.db is not an SQLite database/],
  ["another program's database", anotherProgram, /is not a database of this service/],
  ['a copy of a newer release', overwrite('c', 63), /version 99/],
])('a restore changes nothing if its source is %s', async (_description, commands, message) => {
  const { file, copy, folder } = await databaseWithCopy()
  shell(commands, copy, file)
  const before = contentOf(folder)
  expect(() => restore(copy, file, true)).toThrow(message)
  expect(contentOf(folder)).toEqual(before)
})

test('backup, restore and start name what the service did not make', async () => {
  const { file, copy, folder } = await databaseWithCopy()
  runSql(
    copy,
    `CREATE TRIGGER spy AFTER DELETE ON plants BEGIN DELETE FROM tokens; END;
     CREATE VIEW "all" AS SELECT * FROM plants; CREATE TABLE spied (name); CREATE INDEX by_name ON plants (name);`,
  )
  const foreign = (name: string) =>
    `${name} has the index by_name, the table spied, the trigger spy, and the view all, which this service did not make; ` +
    'drop what you do not know'
  const run = (script: string, parameters: string[]) =>
    runScript(`scripts/${script}`, parameters, { DATABASE_URL: `sqlite:${file}` })
  expect(await run('restore.ts', [copy, '--force'])).toMatchObject({ code: 0, stderr: `${foreign(copy)}\n` })
  const second = join(folder, 'second.db')
  expect(await run('backup.ts', [second])).toMatchObject({ code: 0, stderr: `${foreign(second)}\n` })
  const { serve } = await servedDatabase(folder)
  const server = await serve()
  await expect.poll(server.stderr).toContain(foreign(file))
})

test.each([
  ['backup.ts', 'pg_dump'],
  ['restore.ts', 'pg_restore'],
])('%s refuses PostgreSQL in one line, which names the tool to use', async (script, tool) => {
  const DATABASE_URL = 'postgres://me:secret@127.0.0.1:1/plants'
  const stderr = `DATABASE_URL names a PostgreSQL database; use ${tool}\n`
  expect(await runScript(`scripts/${script}`, ['copy.db'], { DATABASE_URL })).toEqual({ code: 1, stdout: '', stderr })
})
