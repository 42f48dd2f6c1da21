import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { expectFailure } from '../../support/responses/expect-failure.ts'
import { temporaryFolder } from '../../support/server/start-app.ts'
import { type RunningServer, type ServedDatabase, servedDatabase } from '../../support/server/served-database.ts'
import { nodeBinary, projectFolder, runScript, startProcess } from '../../support/server/start-process.ts'

/** Starts a server on a database in a folder of its own, and creates a plant. */
async function servedPlant(): Promise<ServedDatabase & { folder: string; server: RunningServer }> {
  const folder = join(await temporaryFolder(), 'data')
  const database = await servedDatabase(folder)
  const server = await database.serve()
  expect(await server.create(1)).toBe(200)
  return { ...database, folder, server }
}

/** Writes are refused with 503 by a server that is not ready, and the log says why in one line. */
async function expectRefusedWrites(server: RunningServer, message: RegExp): Promise<void> {
  for (let count = 0; count < 3; count++) {
    const created = await server.send('POST', '/plants', { id: 2, name: '2' })
    for (const answer of [created, await server.send('DELETE', '/plants/1')]) {
      expectFailure(answer, 'unavailable')
      expect(answer.headers.get('retry-after')).toBe('1')
    }
    expect((await server.send('GET', '/readyz')).status).toBe(503)
  }
  expect((await server.send('GET', '/livez')).status).toBe(200)
  // The log is written within a tenth of a second.
  const lines = () =>
    server
      .stderr()
      .split('\n')
      .filter((line) => line.includes('removed or replaced'))
  await expect.poll(lines).toHaveLength(1)
  expect(lines()[0]).toMatch(message)
}

const companions = ['-wal', '-shm']

test.each<[string, (file: string, folder: string) => void]>([
  [
    'was removed with its log',
    (file) => {
      for (const suffix of ['', ...companions]) unlinkSync(file + suffix)
    },
  ],
  [
    'was renamed',
    (file) => {
      renameSync(file, `${file}.old`)
    },
  ],
  [
    'was replaced by a copy of itself',
    (file) => {
      copyFileSync(file, `${file}.n`)
      renameSync(`${file}.n`, file)
    },
  ],
  [
    'was replaced by a folder',
    (file) => {
      unlinkSync(file)
      mkdirSync(file)
    },
  ],
  [
    'is in a folder that was removed',
    (_file, folder) => {
      rmSync(folder, { recursive: true })
    },
  ],
  [
    'is in a folder that was replaced',
    (file, folder) => {
      renameSync(folder, `${folder}.old`)
      mkdirSync(folder)
      writeFileSync(file, '')
    },
  ],
])('no write is acknowledged when the database %s', async (_description, take) => {
  const { file, folder, server } = await servedPlant()
  take(file, folder)
  await expectRefusedWrites(
    server,
    /plants\.db was removed or replaced while it is open, so nothing is written: put it back/,
  )
})

test('when the database is back in its place it is written again, and nothing was done meanwhile', async () => {
  const { folder, server } = await servedPlant()
  renameSync(folder, `${folder}.old`)
  await expectRefusedWrites(server, /plants\.db was removed or replaced/)
  renameSync(`${folder}.old`, folder)
  expect((await server.send('GET', '/readyz')).status).toBe(200)
  expect(await server.names()).toEqual(['1'])
  expect(await server.create(2)).toBe(200)
  await server.end('SIGKILL')
})

test.each(companions)('no write is acknowledged when %s was removed, and a restart keeps what was', async (suffix) => {
  const { file, server, serve } = await servedPlant()
  unlinkSync(file + suffix)
  await expectRefusedWrites(server, new RegExp(`plants\\.db${suffix} was removed.*restart the server, which keeps`))
  await server.end()
  const again = await serve()
  expect(await again.names()).toEqual(['1'])
  expect(await again.create(2)).toBe(200)
})

test('no command opens a database whose log was removed under a running server, and so none damages it', async () => {
  const { file, folder, server, serve } = await servedPlant()
  unlinkSync(`${file}-wal`)
  const environment = { DATABASE_URL: `sqlite:${file}` }
  for (const [script, parameter] of [
    ['token.ts', 'list'],
    ['backup.ts', join(folder, 'copy.db')],
  ] as const) {
    const { code, stderr } = await runScript(`scripts/${script}`, [parameter], environment)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^.*plants\.db-wal was removed and .*plants\.db-shm was not: stop the server[^\n]*\n$/)
  }
  await server.end()
  expect(await (await serve()).names()).toEqual(['1'])
})

test.each(['plants', 'tokens'])(
  'without its table %s a server is not ready, and does not start again',
  async (table) => {
    const { file, server, serve } = await servedPlant()
    const database = new Database(file)
    database.exec(`DROP TABLE ${table}`)
    database.close()
    const answers = [await server.send('GET', '/plants'), await server.send('POST', '/plants', { id: 2, name: '2' })]
    for (const answer of answers) expectFailure(answer, 'unavailable')
    expect((await server.send('GET', '/readyz')).status).toBe(503)
    await expect.poll(() => server.stderr()).toContain(`no such table: ${table}`)
    await server.end()
    await expect(serve()).rejects.toThrow(`lacks a part of its schema (no such table: ${table}); restore a backup`)
  },
)

test('a database behind a symbolic link is served until the link leads elsewhere', async () => {
  const folder = await temporaryFolder()
  mkdirSync(join(folder, 'disk'))
  symlinkSync(join('disk', 'real.db'), join(folder, 'plants.db'))
  const { file, serve } = await servedDatabase(folder)
  expect(existsSync(join(folder, 'disk', 'real.db'))).toBe(true)
  const server = await serve()
  expect(await server.create(1)).toBe(200)
  expect(existsSync(join(folder, 'disk', 'real.db-wal'))).toBe(true)
  unlinkSync(file)
  symlinkSync(join('disk', 'other.db'), file)
  await expectRefusedWrites(server, /plants\.db was removed or replaced/)
})

test('a server does not begin anew beside the log of a database that is gone', async () => {
  const { file, server, serve } = await servedPlant()
  await server.end('SIGKILL')
  renameSync(file, `${file}.old`)
  const log = statSync(`${file}-wal`).size
  const message = /plants\.db is missing or empty, and its write-ahead log .*-wal is not: put the database back/
  await expect(serve()).rejects.toThrow(message)
  expect({ database: existsSync(file), log: statSync(`${file}-wal`).size }).toEqual({ database: false, log })
  renameSync(`${file}.old`, file)
  expect(await (await serve()).names()).toEqual(['1'])
})

test('the database and the files beside it belong to their owner alone, whatever the umask', async () => {
  const folder = join(await temporaryFolder(), 'made', 'data')
  const file = join(folder, 'plants.db')
  const start = async () => {
    const main = [nodeBinary, join(projectFolder, 'src/main.ts')]
    const command = ['bash', '-c', 'umask 0; exec "$@"', 'bash', ...main] as const
    const server = await startProcess({ DATABASE_URL: `sqlite:${file}` }, command)
    onTestFinished(() => server.end('SIGKILL'))
    return server
  }
  const paths = [join(folder, '..'), folder, file, `${file}-wal`, `${file}-shm`]
  const modes = () => paths.map((path) => (statSync(path).mode & 0o777).toString(8))
  const server = await start()
  expect(modes()).toEqual(['700', '700', '600', '600', '600'])
  await server.end('SIGKILL')
  for (const suffix of ['', ...companions]) chmodSync(file + suffix, 0o644)
  chmodSync(folder, 0o750)
  await start()
  expect(modes()).toEqual(['700', '750', '600', '600', '600'])
})
