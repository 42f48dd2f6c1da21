import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openSqliteStore } from '../../../src/store/sqlite/store.ts'
import type { Store } from '../../../src/store/store.ts'
import { namesOf } from '../../store/list-text.ts'
import { runSql } from '../../support/server/sqlite-file.ts'
import { type OnFinished, temporaryFolder } from '../../support/server/start-app.ts'
import { storedPlant } from '../../support/plants.ts'

interface OpenPlant {
  store: Store
  file: string
  faults: Error[]
}

function open(file: string, faults: Error[] = [], onFinished: OnFinished = onTestFinished): Store {
  const store = openSqliteStore({ file, onFault: (fault) => void faults.push(fault) })
  onFinished(() => store.close())
  return store
}

/** Opens a store in a folder of its own, and creates a plant. */
async function openPlant(onFinished: OnFinished = onTestFinished): Promise<OpenPlant> {
  const file = join(await temporaryFolder(onFinished), 'data', 'plants.db')
  const faults: Error[] = []
  const store = open(file, faults, onFinished)
  expect(await store.create('me', storedPlant({ id: 1n, name: '1' }))).toBe('created')
  return { store, file, faults }
}

/** Expects that writes are refused, the store is not ready, and the fault is reported once. */
async function expectRefusedWrites({ store, faults }: OpenPlant, message: RegExp): Promise<void> {
  for (let count = 0; count < 3; count++) {
    expect(await store.create('me', storedPlant({ id: 2n, name: '2' }))).toBe('unavailable')
    expect(await store.delete('me', 1n)).toBe('unavailable')
    expect(await store.isReady()).toBe(false)
  }
  expect(faults.map((fault) => fault.message)).toEqual([expect.stringMatching(message)])
}

const misplacements = {
  'the database was removed with its log': ['rm plants.db*', ''],
  'the database was renamed': ['mv plants.db old.db', ''],
  'the database was replaced by a copy of itself': ['cp plants.db new.db; mv new.db plants.db', ''],
  'the database was replaced by a folder': ['rm plants.db; mkdir plants.db', ''],
  'its folder was removed': ['rm -r ../data', ''],
  'its folder was replaced': ['mv ../data ../old; mkdir ../data; touch ../data/plants.db', ''],
  'the database became a symbolic link that leads elsewhere': ['mv plants.db real.db; ln -s other.db plants.db', ''],
  'its log was removed': ['rm plants.db-wal', '-wal'],
  'its index was removed': ['rm plants.db-shm', '-shm'],
} as const

/** A store that is open for seconds checks only the folder's time of change. */
describe.each([
  ['just opened', 0],
  ['open for seconds', 2_100],
] as const)('a store that is %s', (_age, milliseconds) => {
  const opened = new Map<string, OpenPlant>()

  beforeAll(async () => {
    const finishes: (() => Promise<void>)[] = []
    for (const name of Object.keys(misplacements))
      opened.set(name, await openPlant((finish) => void finishes.unshift(finish)))
    await sleep(milliseconds)
    for (const { store } of opened.values()) expect(await store.delete('me', 9n)).toBe('absent')
    return async () => {
      for (const finish of finishes) await finish()
    }
  })

  test.each(Object.entries(misplacements))('acknowledges no write when %s', async (name, [commands, suffix]) => {
    const found = opened.get(name)!
    execFileSync('sh', ['-c', commands], { cwd: dirname(found.file) })
    const remedy = suffix === '' ? 'put it back' : 'restart the server, which keeps'
    const message = `plants\\.db${suffix} was removed or replaced while it is open, .* written: ${remedy}`
    await expectRefusedWrites(found, new RegExp(message))
    if (name === 'the database was renamed') {
      execFileSync('mv', [join(dirname(found.file), 'old.db'), found.file])
      expect(await found.store.isReady()).toBe(true)
      expect(await found.store.create('me', storedPlant({ id: 2n, name: '2' }))).toBe('created')
    }
    if (suffix === '') return
    await found.store.close()
    const again = open(found.file)
    expect(await namesOf(again, 'me')).toEqual(['1'])
    expect(await again.create('me', storedPlant({ id: 2n, name: '2' }))).toBe('created')
  })
})

test.each(['plants', 'tokens'])('a store without its table %s is not ready', async (table) => {
  const { store, file, faults } = await openPlant()
  runSql(file, `ALTER TABLE ${table} RENAME TO lost`)
  expect(await store.isReady()).toBe(false)
  expect([await store.list('me', 1), await store.findCaller(new Uint8Array(32), 0)]).toContain('unavailable')
  expect(new Set(faults.map(({ message }) => message))).toEqual(new Set([`no such table: ${table}`]))
})

test('a database behind a symbolic link is made at its target, log included', async () => {
  const folder = await temporaryFolder()
  mkdirSync(join(folder, 'disk'))
  symlinkSync(join('disk', 'real.db'), join(folder, 'plants.db'))
  open(join(folder, 'plants.db'))
  for (const name of ['real.db', 'real.db-wal']) expect(existsSync(join(folder, 'disk', name))).toBe(true)
})

test('a store does not create a database beside a left-over write-ahead log', async () => {
  const [{ file }, folder] = [await openPlant(), await temporaryFolder()]
  const copy = join(folder, 'plants.db')
  copyFileSync(`${file}-wal`, `${copy}-wal`)
  const message = /plants\.db is missing or empty, but its write-ahead log .*-wal is not: put the database back/
  expect(() => open(copy)).toThrow(message)
  expect(existsSync(copy)).toBe(false)
  copyFileSync(file, copy)
  expect(await namesOf(open(copy), 'me')).toEqual(['1'])
})

test('only the owner can access the database files, whatever the umask', async () => {
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
