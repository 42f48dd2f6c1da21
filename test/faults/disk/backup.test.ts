import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { backUp } from '../../../scripts/backup.ts'
import { temporaryFolder } from '../../support/server/start-app.ts'
import { runScript, startProcess } from '../../support/server/start-process.ts'
import { servedDatabase } from '../../support/server/served-database.ts'

interface Printed {
  code: number | null
  stdout: string
  stderr: string
}

function runBackup(source: string, copy: string): Promise<Printed> {
  return runScript('scripts/backup.ts', [copy], { DATABASE_URL: `sqlite:${source}` })
}

function runRestore(copy: string, target: string, ...flags: string[]): Promise<Printed> {
  return runScript('scripts/restore.ts', [copy, ...flags], { DATABASE_URL: `sqlite:${target}` })
}

/** What a command says that does not do what it was asked for: one line, and no success. */
function expectRefusal({ code, stdout, stderr }: Printed, message: RegExp): void {
  expect({ code, stdout, lines: stderr.trimEnd().split('\n').length }).toEqual({ code: 1, stdout: '', lines: 1 })
  expect(stderr).toMatch(message)
}

function namesIn(file: string): string[] {
  const database = new Database(file, { readonly: true })
  try {
    return database.prepare<[], string>('SELECT name FROM plants').pluck().all()
  } finally {
    database.close()
  }
}

/** Makes a database with one plant, and a copy of it. */
async function databaseWithCopy(): Promise<{ file: string; copy: string; folder: string }> {
  const folder = await temporaryFolder()
  const { file } = await servedDatabase(folder)
  const database = new Database(file)
  database.exec(`INSERT INTO plants (caller, id, name) VALUES ('me', 1, 'saved')`)
  database.close()
  const copy = join(folder, 'copy.db')
  expect(await backUp(file, copy)).toMatchObject({ plants: 1, tokens: 1 })
  return { file, copy, folder }
}

function change(file: string): void {
  const database = new Database(file)
  database.exec(`INSERT INTO plants (caller, id, name) VALUES ('me', 2, 'later')`)
  database.close()
}

test(
  'a copy that is made while a server is written to holds the state of one moment, and the writes go on',
  { timeout: 60_000 },
  async () => {
    const { file, serve } = await servedDatabase()
    const filler = new Database(file)
    const insert = filler.prepare<[number]>(
      `INSERT INTO plants (caller, id, name) VALUES ('someone', ?, 'Monstera deliciosa')`,
    )
    filler.transaction(() => {
      for (let id = 0; id < 50_000; id++) insert.run(id)
    })()
    filler.close()
    const server = await serve()
    const writers = 8
    const range = 1_000_000
    const acknowledged = Array<number>(writers).fill(0)
    let isOver = false
    const writing = acknowledged.map(async (_, writer) => {
      // The loop reads what the end of the copy changes.
      while (!isOver) {
        expect(await server.create(writer * range + acknowledged[writer]!)).toBe(200)
        acknowledged[writer]!++
      }
    })
    await expect.poll(() => Math.min(...acknowledged)).toBeGreaterThan(3)
    const before = [...acknowledged]
    const copy = join(await temporaryFolder(), 'copy.db')
    const printed = await runBackup(file, copy)
    const after = [...acknowledged]
    isOver = true
    await Promise.all(writing)

    expect(printed.stdout).toMatch(/copy\.db: \d+ plants and 1 tokens in \d+ bytes, verified\n$/)
    const ids = namesIn(copy).map(Number)
    const copied = acknowledged.map((_, writer) =>
      ids.filter((id) => id >= writer * range && id < (writer + 1) * range).sort((a, b) => a - b),
    )
    // Each writer asked for the next plant when it had been told of the last one, so one moment has no gaps.
    for (const [writer, own] of copied.entries()) {
      expect(own).toEqual(Array.from({ length: own.length }, (_, id) => writer * range + id))
      expect(own.length).toBeGreaterThanOrEqual(before[writer]!)
      expect(own.length).toBeLessThanOrEqual(after[writer]! + 1)
    }
    expect(after.reduce((sum, count) => sum + count)).toBeGreaterThan(before.reduce((sum, count) => sum + count))
  },
)

test('a copy is one file, whole by itself, beside nothing that was left over', async () => {
  const { copy, folder } = await databaseWithCopy()
  expect(readdirSync(folder).sort()).toEqual(['copy.db', 'plants.db'])
  const database = new Database(copy, { readonly: true })
  onTestFinished(() => void database.close())
  expect(database.pragma('journal_mode', { simple: true })).toBe('delete')
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
})

test('a file that is there is not overwritten by a copy', async () => {
  const { file, copy } = await databaseWithCopy()
  change(file)
  const bytes = readFileSync(copy)
  expectRefusal(await runBackup(file, copy), /copy\.db is there already; nothing was changed/)
  expect(readFileSync(copy).equals(bytes)).toBe(true)
})

test.each([
  ['a database that is not there', () => undefined, /there is no database .*plants\.db; name another with/],
  [
    'a file without a byte',
    (file: string) => {
      writeFileSync(file, '')
    },
    /there is no database .*plants\.db/,
  ],
  [
    'a text',
    (file: string) => {
      writeFileSync(file, 'my plants'.repeat(100))
    },
    /is not an SQLite database/,
  ],
  [
    "another program's database",
    (file: string) => {
      new Database(file).exec('CREATE TABLE notes (text)').close()
    },
    /is not a database of this service/,
  ],
])('%s is not copied, and nothing is made', async (_description, make, message) => {
  const folder = await temporaryFolder()
  make(join(folder, 'plants.db'))
  const before = readdirSync(folder)
  expectRefusal(await runBackup(join(folder, 'plants.db'), join(folder, 'copy.db')), message)
  expect(readdirSync(folder)).toEqual(before)
})

test('a database is copied before SQLite has moved anything from its log to the file', async () => {
  const folder = await temporaryFolder()
  const file = join(folder, 'plants.db')
  const server = await startProcess({ DATABASE_URL: `sqlite:${file}` })
  onTestFinished(() => server.end('SIGKILL'))
  expect(statSync(file).size).toBeLessThanOrEqual(4_096)
  const { code, stdout } = await runBackup(file, join(folder, 'copy.db'))
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('0 plants and 1 tokens') as string })
})

test('a copy has no room for what was deleted, and a restore gives the room back to the disk', async () => {
  const { file, folder } = await databaseWithCopy()
  const database = new Database(file)
  database.exec(`
    WITH RECURSIVE ids (id) AS (SELECT 10 UNION ALL SELECT id + 1 FROM ids WHERE id < 10000)
    INSERT INTO plants (caller, id, name) SELECT 'me', id, 'Monstera' FROM ids`)
  database.exec('DELETE FROM plants WHERE id >= 10')
  database.close()
  const { size } = statSync(file)
  const copy = join(folder, 'second.db')
  const { code, stdout } = await runBackup(file, copy)
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('1 plants and 1 tokens') as string })
  expect(statSync(copy)).toMatchObject({ size: statSync(join(folder, 'copy.db')).size })
  expect((await runRestore(copy, file, '--force')).code).toBe(0)
  expect(statSync(file).size).toBeLessThan(size / 10)
  expect(namesIn(file)).toEqual(['saved'])
  expect(readdirSync(folder).sort()).toEqual(['copy.db', 'plants.db', 'second.db'])
})

test('a copy belongs to its owner alone, whatever the umask, and takes the place of no symbolic link', async () => {
  const { file, folder } = await databaseWithCopy()
  const umask = process.umask(0)
  const printed = await runBackup(file, join(folder, 'second.db')).finally(() => process.umask(umask))
  expect(printed).toMatchObject({ code: 0 })
  expect(statSync(join(folder, 'second.db')).mode & 0o777).toBe(0o600)
  symlinkSync('elsewhere.db', join(folder, 'link.db'))
  expectRefusal(await runBackup(file, join(folder, 'link.db')), /link\.db is there already; nothing was changed/)
  expect(readdirSync(folder).sort()).toEqual(['copy.db', 'link.db', 'plants.db', 'second.db'])
})

test('a damaged database is not copied as if it were whole', async () => {
  const { file, folder } = await databaseWithCopy()
  damage(file)
  expectRefusal(await runBackup(file, join(folder, 'second.db')), /cannot be copied|is damaged/)
  expect(existsSync(join(folder, 'second.db'))).toBe(false)
})

test('a restored copy is what a server then serves', async () => {
  const folder = await temporaryFolder()
  const original = await servedDatabase(folder)
  const first = await original.serve()
  expect(await first.create(7)).toBe(200)
  const copy = join(folder, 'copy.db')
  expect(await runBackup(original.file, copy)).toMatchObject({ code: 0, stderr: '' })
  expect(await first.create(8)).toBe(200)
  await first.end()
  expect(await runRestore(copy, original.file, '--force')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('1 plants and 1 tokens') as string,
  })
  expect(readdirSync(folder).sort()).toEqual(['copy.db', 'plants.db'])
  const second = await original.serve()
  expect(await second.names()).toEqual(['7'])
})

test('a copy is restored to a place where there is nothing, folder and all', async () => {
  const { copy, folder } = await databaseWithCopy()
  const target = join(folder, 'new', 'plants.db')
  expect(await runRestore(copy, target)).toMatchObject({ code: 0, stderr: '' })
  expect(namesIn(target)).toEqual(['saved'])
})

test('a database that is there is replaced with --force alone', async () => {
  const { file, copy } = await databaseWithCopy()
  change(file)
  const bytes = readFileSync(file)
  expectRefusal(await runRestore(copy, file), /is there already; --force replaces it; nothing was changed/)
  expect(readFileSync(file).equals(bytes)).toBe(true)
  expect((await runRestore(copy, file, '--force')).code).toBe(0)
  expect(namesIn(file)).toEqual(['saved'])
})

test('what a killed server left in its log is not mixed into the copy that replaces its database', async () => {
  const { copy, folder } = await databaseWithCopy()
  const database = await servedDatabase(join(folder))
  const server = await database.serve()
  await server.create(9)
  await server.end('SIGKILL')
  expect(existsSync(`${database.file}-wal`)).toBe(true)
  expect((await runRestore(copy, database.file, '--force')).code).toBe(0)
  expect(namesIn(database.file)).toEqual(['saved'])
  expect(readdirSync(folder).sort()).toEqual(['copy.db', 'plants.db'])
})

test('a damaged database is replaced, and the log beside it with it', async () => {
  const { file, copy, folder } = await databaseWithCopy()
  writeFileSync(file, Buffer.concat([readFileSync(file).subarray(0, 100), Buffer.alloc(20_000, 1)]))
  writeFileSync(`${file}-wal`, 'nonsense')
  expect((await runRestore(copy, file, '--force')).code).toBe(0)
  expect(namesIn(file)).toEqual(['saved'])
  expect(readdirSync(folder).sort()).toEqual(['copy.db', 'plants.db'])
})

test('the database of a running server is not replaced, even with --force', async () => {
  const { copy, folder } = await databaseWithCopy()
  const database = await servedDatabase(folder)
  const server = await database.serve()
  const message = new RegExp(`open in process ${String(server.child.pid)}, as .*; stop the server first; nothing`)
  expectRefusal(await runRestore(copy, database.file, '--force'), message)
  expect(await server.create(3)).toBe(200)
  expect(await server.names()).toEqual(['saved', '3'])
})

test.each<[string, (file: string) => string]>([
  [
    'under a hard link',
    (file) => {
      linkSync(file, `${file}.hard`)
      return `${file}.hard`
    },
  ],
  [
    'behind a symbolic link',
    (file) => {
      symlinkSync(file, `${file}.soft`)
      return `${file}.soft`
    },
  ],
  [
    'that was removed',
    (file) => {
      for (const suffix of ['', '-wal', '-shm']) unlinkSync(file + suffix)
      return file
    },
  ],
  [
    'that was removed without its log',
    (file) => {
      unlinkSync(file)
      return file
    },
  ],
  [
    'whose folder was removed',
    (file) => {
      rmSync(dirname(file), { recursive: true })
      return file
    },
  ],
])('a database %s of a running server is not replaced, and the message names the process', async (_kind, take) => {
  const { copy, folder } = await databaseWithCopy()
  const { file, serve } = await servedDatabase(join(folder, 'data'))
  const server = await serve()
  const target = take(file)
  const names = existsSync(dirname(file)) ? readdirSync(dirname(file)) : undefined
  const message = new RegExp(`is open in process ${String(server.child.pid)}, as .*plants\\.db.*; nothing was changed`)
  expectRefusal(await runRestore(copy, target, '--force'), message)
  expect(existsSync(dirname(file)) ? readdirSync(dirname(file)) : undefined).toEqual(names)
})

test('what is restored keeps mode and symbolic link of what it replaces', async () => {
  const { file, copy, folder } = await databaseWithCopy()
  const link = join(folder, 'link.db')
  symlinkSync('plants.db', link)
  change(file)
  chmodSync(file, 0o640)
  chmodSync(copy, 0o444)
  expect((await runRestore(copy, link, '--force')).code).toBe(0)
  expect({ link: readlinkSync(link), mode: statSync(file).mode & 0o777 }).toEqual({ link: 'plants.db', mode: 0o640 })
  expect(namesIn(file)).toEqual(['saved'])
  expect(readdirSync(folder).sort()).toEqual(['copy.db', 'link.db', 'plants.db'])
})

test('what is restored to an empty place belongs to its owner alone, and a symbolic link to it stays', async () => {
  const { copy, folder } = await databaseWithCopy()
  chmodSync(copy, 0o666)
  const link = join(folder, 'link.db')
  symlinkSync('new/real.db', link)
  const umask = process.umask(0)
  const printed = await runRestore(copy, link).finally(() => process.umask(umask))
  expect(printed).toMatchObject({ code: 0 })
  const real = join(folder, 'new', 'real.db')
  expect([statSync(dirname(real)), statSync(real)].map(({ mode }) => mode & 0o777)).toEqual([0o700, 0o600])
  expect(readlinkSync(link)).toBe('new/real.db')
  expect(namesIn(real)).toEqual(['saved'])
})

const isRoot = process.getuid?.() === 0

test.runIf(isRoot)('what root restores belongs to the owner of what it replaces, or else of the folder', async () => {
  const { file, copy, folder } = await databaseWithCopy()
  const nobody = 65_534
  chownSync(file, nobody, nobody)
  expect((await runRestore(copy, file, '--force')).code).toBe(0)
  expect(statSync(file)).toMatchObject({ uid: nobody, gid: nobody })
  const data = join(folder, 'data')
  mkdirSync(data)
  chownSync(data, nobody, nobody)
  expect((await runRestore(copy, join(data, 'plants.db'))).code).toBe(0)
  expect(statSync(join(data, 'plants.db'))).toMatchObject({ uid: nobody, gid: nobody })
})

/** Prepares two files. @returns which one is restored, and where */
type Preparation = (file: string, copy: string) => [from: string, to: string]

test.each<[string, Preparation, RegExp]>([
  [
    'the database under another name',
    (file) => {
      linkSync(file, `${file}2`)
      return [`${file}2`, file]
    },
    /is the database itself/,
  ],
  [
    'a copy with a journal beside it',
    (file, copy) => {
      writeFileSync(`${copy}-journal`, 'x')
      return [copy, file]
    },
    /copy\.db-journal is beside it/,
  ],
  [
    'a copy in the place of a folder',
    (_file, copy) => {
      mkdirSync(`${copy}.d`)
      return [copy, `${copy}.d`]
    },
    /is no file; nothing/,
  ],
  [
    'a folder',
    (file, copy) => {
      mkdirSync(`${copy}.d`)
      return [`${copy}.d`, file]
    },
    /^E\w+: .*copy\.db\.d/,
  ],
])('%s is not restored, which one line says', async (_description, prepare, message) => {
  const { file, copy } = await databaseWithCopy()
  const bytes = readFileSync(file)
  const [from, to] = prepare(file, copy)
  expectRefusal(await runRestore(from, to, '--force'), message)
  expect(readFileSync(file).equals(bytes)).toBe(true)
})

test.each<[string, (copy: string) => void, RegExp]>([
  ['damaged', damage, /is damaged/],
  [
    'cut short',
    (copy) => {
      writeFileSync(copy, readFileSync(copy).subarray(0, 5_000))
    },
    /is damaged/,
  ],
  [
    'no database',
    (copy) => {
      writeFileSync(copy, 'my plants'.repeat(100))
    },
    /is not an SQLite database/,
  ],
  [
    "another program's",
    (copy) => {
      writeFileSync(copy, '')
      new Database(copy).exec('CREATE TABLE notes (text)').close()
    },
    /is not a database of this service/,
  ],
  [
    'of a newer release',
    (copy) => {
      const database = new Database(copy)
      database.pragma('user_version = 99')
      database.close()
    },
    /schema version 99/,
  ],
])('a copy that is %s is not restored, and the database stays as it was', async (_description, spoil, message) => {
  const { file, copy, folder } = await databaseWithCopy()
  spoil(copy)
  const [database, bytes] = [readFileSync(file), readFileSync(copy)]
  expectRefusal(await runRestore(copy, file, '--force'), message)
  expect(readFileSync(file).equals(database)).toBe(true)
  expect(readFileSync(copy).equals(bytes)).toBe(true)
  expect(readdirSync(folder).sort()).toEqual(['copy.db', 'plants.db'])
})

test('on PostgreSQL both commands name the tools that do it', async () => {
  const environment = { DATABASE_URL: 'postgres://me:secret@127.0.0.1:1/plants' }
  expectRefusal(
    await runScript('scripts/backup.ts', ['copy.db'], environment),
    /^DATABASE_URL names a PostgreSQL database, for which the tool is pg_dump\n$/,
  )
  expectRefusal(
    await runScript('scripts/restore.ts', ['copy.db'], environment),
    /^DATABASE_URL names a PostgreSQL database, for which the tool is pg_restore\n$/,
  )
})

/** Spoils the root page of a table. */
function damage(file: string): void {
  const bytes = readFileSync(file)
  bytes.fill(0xff, 4_096, 4_096 + 200)
  writeFileSync(file, bytes)
}
