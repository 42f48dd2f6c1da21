import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../support/server/start-app.ts'
import { nodeBinary, projectFolder, runScript, startProcess } from '../../support/server/start-process.ts'
import { servedDatabase } from '../../support/server/served-database.ts'

// bench/power-loss rebuilds what a disk has after a loss of power. These tests begin with files as it can leave them,
// or check that a program waits for the disk where it has to.

/** Runs a command so that permissions bind it, which root passes over. */
const boundByPermissions =
  process.getuid?.() === 0
    ? (['setpriv', '--bounding-set=-dac_override,-dac_read_search'] as const)
    : (['env'] as const)

/** Records what a program does with a folder and with what is in it. */
function record(folder: string): {
  environment: Record<string, string>
  operations: () => string[]
} {
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

describe('a folder that is made is on disk before anything in it is acknowledged,', () => {
  const made = ['make ./new', 'sync .', 'make ./new/data', 'sync ./new']

  test('at the first start', async () => {
    const folder = await temporaryFolder()
    const { environment, operations } = record(folder)
    const server = await startProcess({
      DATABASE_URL: `sqlite:${folder}/new/data/plants.db`,
      ...environment,
    })
    onTestFinished(() => server.end('SIGKILL'))
    expect(operations()).toEqual(made)
  })

  test('also where it was there already: who made it may have been killed before it was on disk', async () => {
    const folder = await temporaryFolder()
    mkdirSync(join(folder, 'data'))
    const { environment, operations } = record(folder)
    const server = await startProcess({
      DATABASE_URL: `sqlite:${folder}/data/plants.db`,
      ...environment,
    })
    onTestFinished(() => server.end('SIGKILL'))
    expect(operations()).toEqual(['sync .'])
  })

  test('unless the folder that it is in may not be read, in which the service works all the same', async () => {
    const folder = join(await temporaryFolder(), 'closed')
    mkdirSync(join(folder, 'data'), { recursive: true })
    chmodSync(folder, 0o311)
    const server = await startProcess({ DATABASE_URL: `sqlite:${folder}/data/plants.db` }, [
      ...boundByPermissions,
      nodeBinary,
      join(projectFolder, 'src/main.ts'),
    ])
    onTestFinished(() => server.end('SIGKILL'))
    expect(server.stdout()).toMatch(/^Token +plst_/m)
  })

  test('at a restore', async () => {
    const folder = await temporaryFolder()
    const { file } = await servedDatabase(folder)
    const { environment, operations } = record(folder)
    const database = { DATABASE_URL: `sqlite:${folder}/new/data/plants.db` }
    expect(
      await runScript('scripts/restore.ts', [file], {
        ...database,
        ...environment,
      }),
    ).toMatchObject({
      code: 0,
    })
    expect(operations().slice(0, made.length)).toEqual(made)
  })

  test('at a move', async () => {
    const folder = await temporaryFolder()
    const { file } = await servedDatabase(folder)
    const { environment, operations } = record(folder)
    const stores = ['--from', `sqlite:${file}`, '--to', `sqlite:${folder}/new/data/plants.db`]
    expect(await runScript('scripts/move.ts', stores, environment)).toMatchObject({ code: 0 })
    expect(operations()).toEqual(made)
  })
})

test('a restore has removed the old log from the disk before the new database takes its place', async () => {
  const folder = await temporaryFolder()
  const { file, serve } = await servedDatabase(folder)
  copyFileSync(file, join(folder, 'copy.db'))
  const server = await serve()
  await server.create(1)
  await server.end('SIGKILL')
  expect(existsSync(`${file}-wal`)).toBe(true)
  const { environment, operations } = record(folder)
  const database = { DATABASE_URL: `sqlite:${file}` }
  const parameters = [join(folder, 'copy.db'), '--force']
  expect(
    await runScript('scripts/restore.ts', parameters, {
      ...database,
      ...environment,
    }),
  ).toMatchObject({
    code: 0,
  })
  const done = operations()
  const replaced = done.indexOf('rename to ./plants.db')
  const removed = done.findLastIndex(
    (operation, index) => index < replaced && operation.startsWith('remove ./plants.db-'),
  )
  expect(removed).toBeGreaterThan(0)
  expect(done.slice(removed + 1, replaced + 2)).toEqual(['sync .', 'rename to ./plants.db', 'sync .'])
})

describe('the index of a log that is gone', () => {
  test('is removed where nobody has the database open, and nothing is lost', async () => {
    const { file, serve } = await servedDatabase()
    const first = await serve()
    expect(await first.create(1)).toBe(200)
    copyFileSync(`${file}-shm`, `${file}-left`)
    await first.end()
    expect([existsSync(`${file}-wal`), existsSync(`${file}-shm`)]).toEqual([false, false])
    const leave = () => {
      copyFileSync(`${file}-left`, `${file}-shm`)
    }

    leave()
    const database = { DATABASE_URL: `sqlite:${file}` }
    expect(await runScript('scripts/backup.ts', [`${file}.copy`], database)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 plants and 1 tokens') as string,
    })
    expect([existsSync(`${file}-wal`), existsSync(`${file}-shm`)]).toEqual([false, false])

    leave()
    const second = await serve()
    expect(await second.names()).toEqual(['1'])
    expect(await second.create(2)).toBe(200)
    await second.end()

    // Several may start at once when the power is back.
    leave()
    const servers = await Promise.all([serve(), serve()])
    for (const server of servers) expect(await server.names()).toEqual(['1', '2'])
  })

  test('stays where a server has the database open: nobody else opens it, and nothing is lost', async () => {
    const { file, serve } = await servedDatabase()
    const server = await serve()
    expect(await server.create(1)).toBe(200)
    const index = readFileSync(`${file}-shm`)
    unlinkSync(`${file}-wal`)
    await expect(serve()).rejects.toThrow(/plants\.db-wal was removed and .*plants\.db-shm was not: stop the server/)
    expect(readFileSync(`${file}-shm`).equals(index)).toBe(true)
    expect(existsSync(`${file}-wal`)).toBe(false)
    await server.end()
    expect(await (await serve()).names()).toEqual(['1'])
  })

  test('stays where the database is gone too: it may be that of a server that runs', async () => {
    const { file, serve } = await servedDatabase()
    const server = await serve()
    for (const removed of [file, `${file}-wal`]) unlinkSync(removed)
    await expect(serve()).rejects.toThrow(/plants\.db-wal was removed and .*plants\.db-shm was not: stop the server/)
    expect([existsSync(file), existsSync(`${file}-shm`)]).toEqual([false, true])
    await server.end()
  })
})

describe('a first start that the power has ended before its first page was on disk', () => {
  /** Leaves a file that has grown to its size, with nothing in it, and the journal by which SQLite undoes that. */
  async function interruptedStart(): Promise<string> {
    const folder = await temporaryFolder()
    const file = join(folder, 'plants.db')
    const database = new Database(join(folder, 'source.db'))
    // SQLite writes pages before the commit where its memory has no room for them.
    database.exec(`
      PRAGMA cache_size = 2; BEGIN; CREATE TABLE plants (name TEXT);
      WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < 1000)
      INSERT INTO plants SELECT hex(randomblob(50)) FROM ids`)
    copyFileSync(join(folder, 'source.db-journal'), `${file}-journal`)
    writeFileSync(file, Buffer.alloc(readFileSync(join(folder, 'source.db')).length))
    database.close()
    expect(readFileSync(file).length).toBeGreaterThan(4_096)
    expect(readFileSync(`${file}-journal`)[0]).not.toBe(0)
    return file
  }

  test('is made good by the next one', async () => {
    const file = await interruptedStart()
    const server = await startProcess({ DATABASE_URL: `sqlite:${file}` })
    onTestFinished(() => server.end('SIGKILL'))
    expect(server.stdout()).toMatch(/^Token +plst_/m)
    expect(existsSync(`${file}-journal`)).toBe(false)
  })

  test('has made no database yet for the commands, which change nothing', async () => {
    const file = await interruptedStart()
    const { code, stderr } = await runScript('scripts/token.ts', ['list'], { DATABASE_URL: `sqlite:${file}` })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^there is no database .*plants\.db; .*nothing was changed\n$/)
    expect(existsSync(`${file}-journal`)).toBe(true)
  })

  test.each([
    ['without a journal', unlinkSync],
    [
      'beside a file that is no journal of SQLite',
      (journal: string) => {
        writeFileSync(journal, 'x'.repeat(1_000))
      },
    ],
  ])('is not what a file of zeros %s is, which is refused', async (_description, spoil) => {
    const file = await interruptedStart()
    spoil(`${file}-journal`)
    const files = readdirSync(dirname(file))
    await expect(startProcess({ DATABASE_URL: `sqlite:${file}` })).rejects.toThrow(/is not an SQLite database/)
    expect(readdirSync(dirname(file))).toEqual(files)
  })
})
