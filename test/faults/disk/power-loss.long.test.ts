import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { assertExists } from '../../../src/store/sqlite/schema.ts'
import { openSqliteStore } from '../../../src/store/sqlite/store.ts'
import type { Store } from '../../../src/store/store.ts'
import { namesOf } from '../../store/list-text.ts'
import { throwFault } from '../../store/store-suite.ts'
import { temporaryFolder } from '../../support/server/start-app.ts'
import { nodeBinary, projectFolder, runScript, startProcess } from '../../support/server/start-process.ts'
import { servedDatabase } from '../../support/server/served-database.ts'
import { storedPlant } from '../../support/plants.ts'

// They start with files as a power loss can leave them, or check that a program syncs where it must. docs/proofs.md tells
// how whole power losses were simulated.

/** Records what a program does to a folder and its files. */
function record(folder: string): { environment: Record<string, string>; operations: () => string[] } {
  const file = join(folder, 'record')
  return {
    environment: {
      RECORD_FILES: file,
      NODE_OPTIONS: `--import=${join(projectFolder, 'test/support/server/record-files.ts')}`,
    },
    operations: () =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line.includes(folder))
        .map((line) => line.replace(folder, '.')),
  }
}

type Environment = Record<string, string>

async function start(environment: Environment): Promise<void> {
  const server = await startProcess(environment)
  onTestFinished(() => server.end('SIGKILL'))
}

async function run(script: string, parameters: string[], environment: Environment): Promise<void> {
  expect(await runScript(`scripts/${script}`, parameters, environment)).toMatchObject({ code: 0 })
}

test.each<[string, boolean, (file: string, url: string, record: Environment) => Promise<void>]>([
  ['at the first start', false, (_, url, to) => start({ DATABASE_URL: url, ...to })],
  // Its creator may have been killed before the folder was synced.
  ['where it was there already', true, (_, url, to) => start({ DATABASE_URL: url, ...to })],
  ['at a restore', false, (file, url, to) => run('restore.ts', [file], { DATABASE_URL: url, ...to })],
  ['at a move', false, (file, url, to) => run('move/move.ts', ['--from', `sqlite:${file}`, '--to', url], to)],
])('a new folder is synced before a write in it is acknowledged: %s', async (_title, isThere, act) => {
  const folder = await temporaryFolder()
  const { file } = await servedDatabase(folder)
  if (isThere) mkdirSync(join(folder, 'data'))
  const { environment, operations } = record(folder)
  await act(file, `sqlite:${folder}/${isThere ? 'data' : 'new/data'}/plants.db`, environment)
  const made = isThere ? ['sync .'] : ['make ./new', 'sync .', 'make ./new/data', 'sync ./new']
  expect(operations().slice(0, made.length)).toEqual(made)
})

test('a server starts in a folder whose parent it cannot read or sync', async () => {
  const folder = join(await temporaryFolder(), 'closed')
  mkdirSync(join(folder, 'data'), { recursive: true })
  chmodSync(folder, 0o311)
  // Root ignores permissions.
  const isRoot = process.getuid?.() === 0
  const bound = isRoot ? (['setpriv', '--bounding-set=-dac_override,-dac_read_search'] as const) : (['env'] as const)
  const command = [...bound, nodeBinary, join(projectFolder, 'src/main.ts')] as const
  const server = await startProcess({ DATABASE_URL: `sqlite:${folder}/data/plants.db` }, command)
  onTestFinished(() => server.end('SIGKILL'))
  expect(server.stdout()).toMatch(/^Token +plst_/m)
})

test('a restore syncs the removal of the old log before it renames the new file', async () => {
  const folder = await temporaryFolder()
  const { file, serve } = await servedDatabase(folder)
  copyFileSync(file, join(folder, 'copy.db'))
  const server = await serve()
  await server.create(1)
  await server.end('SIGKILL')
  expect(existsSync(`${file}-wal`)).toBe(true)
  const { environment, operations } = record(folder)
  await run('restore.ts', [join(folder, 'copy.db'), '--force'], { DATABASE_URL: `sqlite:${file}`, ...environment })
  const done = operations()
  const replaced = done.indexOf('rename to ./plants.db')
  const removed = done.findLastIndex((each, index) => index < replaced && each.startsWith('remove ./plants.db-'))
  expect(removed).toBeGreaterThan(0)
  expect(done.slice(removed + 1, replaced + 2)).toEqual(['sync .', 'rename to ./plants.db', 'sync .'])
})

function open(file: string): Store {
  const store = openSqliteStore({ file, onFault: throwFault })
  onTestFinished(() => store.close())
  return store
}

test('a start removes a stale log index, and no plant is lost', async () => {
  const { file, serve } = await servedDatabase()
  const first = open(file)
  await first.create('me', storedPlant({ id: 1n, name: '1' }))
  copyFileSync(`${file}-shm`, `${file}-left`)
  await first.close()
  expect([existsSync(`${file}-wal`), existsSync(`${file}-shm`)]).toEqual([false, false])
  copyFileSync(`${file}-left`, `${file}-shm`)
  const second = open(file)
  expect(await namesOf(second, 'me')).toEqual(['1'])
  await second.close()
  // Several servers may start at once when the power is back.
  copyFileSync(`${file}-left`, `${file}-shm`)
  for (const server of await Promise.all([serve(), serve()])) expect(await server.names()).toEqual(['1'])
})

test.each<[string, string[]]>([
  ['stays where a server has the database open', ['-wal']],
  ['stays where the database is gone too', ['-wal', '']],
])('a stale log index %s, and no plant is lost', async (_description, removed) => {
  const { file, serve } = await servedDatabase()
  const server = await serve()
  expect(await server.create(1)).toBe(200)
  // It keeps its locks, but changes the index no further: it reads rows a second after its start.
  process.kill(server.pid, 'SIGSTOP')
  const index = readFileSync(`${file}-shm`)
  for (const suffix of removed) unlinkSync(file + suffix)
  // Servers and commands must not open a database that another process writes to.
  const message = /plants\.db-wal was removed, but .*plants\.db-shm was not: stop the server/
  expect(() => open(file)).toThrow(message)
  expect(readFileSync(`${file}-shm`).equals(index)).toBe(true)
  for (const suffix of removed) expect(existsSync(file + suffix)).toBe(false)
  process.kill(server.pid, 'SIGCONT')
  if (removed.includes('')) return
  const backup = await runScript('scripts/backup.ts', [`${file}.copy`], { DATABASE_URL: `sqlite:${file}` })
  expect(backup).toMatchObject({ code: 1, stderr: expect.stringMatching(message) as string })
  await server.end()
  expect(await namesOf(open(file), 'me')).toEqual(['1'])
})

/** Makes a file of zeros and the journal with which SQLite rolls it back, as an interrupted start leaves them. */
async function interruptedStart(): Promise<string> {
  const folder = await temporaryFolder()
  const file = join(folder, 'plants.db')
  const source = join(await temporaryFolder(), 'source.db')
  const database = new Database(source)
  // With a small cache, SQLite writes pages before the commit.
  database.exec(`
    PRAGMA cache_size = 2; BEGIN; CREATE TABLE plants (name TEXT);
    WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < 1000)
    INSERT INTO plants SELECT hex(randomblob(50)) FROM ids`)
  copyFileSync(`${source}-journal`, `${file}-journal`)
  writeFileSync(file, Buffer.alloc(statSync(source).size))
  database.close()
  expect(statSync(file).size).toBeGreaterThan(4_096)
  expect(readFileSync(`${file}-journal`)[0]).not.toBe(0)
  return file
}

test('a start repairs a first start that lost power; commands refuse its file', async () => {
  const file = await interruptedStart()
  expect(() => {
    assertExists(file)
  }).toThrow(/^there is no database .*plants\.db; .*nothing was changed$/)
  expect(existsSync(`${file}-journal`)).toBe(true)
  expect(await open(file).isEmpty()).toBe(true)
  expect(existsSync(`${file}-journal`)).toBe(false)
})

test('a file of zeros is refused beside a file that is not a SQLite journal', async () => {
  const file = await interruptedStart()
  writeFileSync(`${file}-journal`, 'x'.repeat(1_000))
  const files = readdirSync(dirname(file))
  expect(() => open(file)).toThrow(/is not an SQLite database/)
  expect(readdirSync(dirname(file))).toEqual(files)
})
