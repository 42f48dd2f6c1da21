import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, statSync, symlinkSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteStore } from '../../../src/store/sqlite/store.ts'
import type { Store } from '../../../src/store/store.ts'
import { listText } from '../../store/list-text.ts'
import { expectFailure } from '../../support/responses/expect-failure.ts'
import { temporaryFolder } from '../../support/server/start-app.ts'
import { servedDatabase } from '../../support/server/served-database.ts'

interface OpenPlant {
  store: Store
  file: string
  faults: Error[]
}

function open(file: string, faults: Error[] = []): Store {
  const store = openSqliteStore({ file, onFault: (fault) => void faults.push(fault) })
  onTestFinished(() => store.close())
  return store
}

/** Opens a store in a folder of its own, and creates a plant. */
async function openPlant(): Promise<OpenPlant> {
  const file = join(await temporaryFolder(), 'data', 'plants.db')
  const faults: Error[] = []
  const store = open(file, faults)
  expect(await store.create('me', { id: 1n, name: '1' })).toBe('created')
  return { store, file, faults }
}

/** Writes are refused by a store that is not ready, and the fault is reported once. */
async function expectRefusedWrites({ store, faults }: OpenPlant, message: RegExp): Promise<void> {
  for (let count = 0; count < 3; count++) {
    expect(await store.create('me', { id: 2n, name: '2' })).toBe('unavailable')
    expect(await store.delete('me', 1n)).toBe('unavailable')
    expect(await store.isReady()).toBe(false)
  }
  expect(faults.map((fault) => fault.message)).toEqual([expect.stringMatching(message)])
}

test.each([
  ['was removed with its log', 'rm plants.db*'],
  ['was renamed', 'mv plants.db old.db'],
  ['was replaced by a copy of itself', 'cp plants.db new.db; mv new.db plants.db'],
  ['was replaced by a folder', 'rm plants.db; mkdir plants.db'],
  ['is in a folder that was removed', 'rm -r ../data'],
  ['is in a folder that was replaced', 'mv ../data ../old; mkdir ../data; touch ../data/plants.db'],
  ['is behind a symbolic link that leads elsewhere', 'mv plants.db real.db; ln -s other.db plants.db'],
])('no write is acknowledged when the database %s', async (_description, commands) => {
  const opened = await openPlant()
  execFileSync('sh', ['-c', commands], { cwd: dirname(opened.file) })
  await expectRefusedWrites(opened, /plants\.db was removed or replaced while it is open, .* written: put it back/)
})

test.each(['-wal', '-shm'])(
  'no write is acknowledged when %s was removed, and a restart keeps what was',
  async (suffix) => {
    const opened = await openPlant()
    unlinkSync(opened.file + suffix)
    await expectRefusedWrites(opened, new RegExp(`plants\\.db${suffix} was removed.*restart the server, which keeps`))
    await opened.store.close()
    const again = open(opened.file)
    expect(await listText(again, 'me')).toBe('[{"name":"1"}]')
    expect(await again.create('me', { id: 2n, name: '2' })).toBe('created')
  },
)

test('while its database is elsewhere a server answers 503, and it serves again when that is back', async () => {
  const folder = join(await temporaryFolder(), 'data')
  const { serve } = await servedDatabase(folder)
  const server = await serve()
  expect(await server.create(1)).toBe(200)
  renameSync(folder, `${folder}.old`)
  for (let count = 0; count < 2; count++) {
    for (const answer of [
      await server.send('POST', '/plants', { id: 2, name: '2' }),
      await server.send('GET', '/readyz'),
    ]) {
      expectFailure(answer, 'unavailable')
      expect(answer.headers.get('retry-after')).toBe('1')
    }
  }
  expect((await server.send('GET', '/livez')).status).toBe(200)
  const lines = () => server.stderr().split('\n')
  await expect.poll(() => lines().filter((line) => line.includes('removed or replaced'))).toHaveLength(1)
  renameSync(`${folder}.old`, folder)
  expect((await server.send('GET', '/readyz')).status).toBe(200)
  expect(await server.names()).toEqual(['1'])
  expect(await server.create(2)).toBe(200)
})

test.each(['plants', 'tokens'])('without its table %s a store is not ready', async (table) => {
  const { store, file, faults } = await openPlant()
  const database = new Database(file)
  database.exec(`DROP TABLE ${table}`)
  database.close()
  expect(await store.isReady()).toBe(false)
  expect([await store.list('me', 1), await store.findCaller(new Uint8Array(32), 0)]).toContain('unavailable')
  expect(new Set(faults.map(({ message }) => message))).toEqual(new Set([`no such table: ${table}`]))
})

test('a database is made where a symbolic link leads, with its log beside it', async () => {
  const folder = await temporaryFolder()
  mkdirSync(join(folder, 'disk'))
  symlinkSync(join('disk', 'real.db'), join(folder, 'plants.db'))
  open(join(folder, 'plants.db'))
  for (const name of ['real.db', 'real.db-wal']) expect(existsSync(join(folder, 'disk', name))).toBe(true)
})

test('a store does not begin anew beside the log of a database that is gone', async () => {
  const [{ file }, folder] = [await openPlant(), await temporaryFolder()]
  const copy = join(folder, 'plants.db')
  copyFileSync(`${file}-wal`, `${copy}-wal`)
  const message = /plants\.db is missing or empty, and its write-ahead log .*-wal is not: put the database back/
  expect(() => open(copy)).toThrow(message)
  expect(existsSync(copy)).toBe(false)
  copyFileSync(file, copy)
  expect(await listText(open(copy), 'me')).toBe('[{"name":"1"}]')
})

test('the database and the files beside it belong to their owner alone, whatever the umask', async () => {
  const folder = join(await temporaryFolder(), 'made', 'data')
  const file = join(folder, 'plants.db')
  const paths = [dirname(folder), folder, file, `${file}-wal`, `${file}-shm`]
  const modes = () => paths.map((path) => (statSync(path).mode & 0o777).toString(8))
  const umask = process.umask(0)
  onTestFinished(() => void process.umask(umask))
  open(file)
  expect(modes()).toEqual(['700', '700', '600', '600', '600'])
  for (const path of paths.slice(2)) chmodSync(path, 0o644)
  chmodSync(folder, 0o750)
  open(file)
  expect(modes()).toEqual(['700', '750', '600', '600', '600'])
})
