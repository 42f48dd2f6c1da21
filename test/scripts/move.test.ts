import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createToken } from '../../src/auth/tokens.ts'
import type { Store } from '../../src/store/store.ts'
import { tableNames } from '../../src/store/tables.ts'
import { namesOf } from '../store/list-text.ts'
import { connect, temporaryDatabase, waitUntilBlocking } from '../support/server/postgres-database.ts'
import { runHere } from '../support/server/run-here.ts'
import { urlOf } from '../support/server/served-database.ts'
import { temporaryFolder } from '../support/server/start-app.ts'
import { runScript } from '../support/server/start-process.ts'
import { contentOf, fill, locations, move, observe, postgresLocation, sqliteLocation, using } from './moved-stores.ts'
import { storedPlant } from '../support/plants.ts'

test('a move to the other kind of store and back is complete and verified', async () => {
  const [first, second, third] = [await sqliteLocation(), await postgresLocation(), await sqliteLocation()]
  await using(first, fill)
  const there = await move(first, second)
  const back = await move(second, third)
  const counts: Partial<Record<string, string>> = { plants: '2,492', tokens: '8' }
  const verified = tableNames.map((name) => `verified  ${name}: ${counts[name] ?? '0'} with SHA-256 … on both sides\n`)
  expect(there).toMatchObject({ code: 0, stderr: '' })
  expect(there.stdout.replaceAll(/[0-9a-f]{64}/g, '…')).toBe(verified.join(''))
  expect(back).toEqual(there)
  const content = await using(first, contentOf)
  expect(await using(second, contentOf)).toEqual(content)
  expect(await using(third, contentOf)).toEqual(content)
})

test('a move waits for the session of a stopped server to end', async () => {
  const [from, to] = [await postgresLocation(), await sqliteLocation()]
  await using(from, (store) => store.create('me', storedPlant({ id: 1n, name: 'a' })))
  const session = await connect(urlOf(from))
  const moved = move(from, to)
  const observer = await observe(from)
  const isMoving = `SELECT 1 FROM pg_stat_activity WHERE application_name = 'plant-store move'`
  await expect.poll(async () => (await observer.query(isMoving)).rowCount).toBeGreaterThan(0)
  await setTimeout(500)
  await session.end()
  expect(await moved).toMatchObject({ code: 0, stderr: '' })
})

test.for(['SQLite', 'PostgreSQL'] as const)('a move from a store in %s to itself is refused', async (engine) => {
  const location = await locations[engine]()
  await using(location, (store) => store.create('me', storedPlant({ id: 1n, name: 'a' })))
  const { code, stderr } = await move(location, location)
  expect(stderr).toMatch(
    /^(?:--from and --to name the same database|.* has locked the target, or it is the source); not/,
  )
  expect(code).toBe(1)
  expect(await using(location, (store) => namesOf(store, 'me'))).toEqual(['a'])
})

test('a move that loses its session prints in one line how to resume', async () => {
  const [from, to] = [await sqliteLocation(), await postgresLocation()]
  await using(from, fill)
  await using(to, () => Promise.resolve())
  const client = await observe(to)
  await client.query('BEGIN; LOCK TABLE plants IN ACCESS EXCLUSIVE MODE')
  const moved = move(from, to)
  await waitUntilBlocking(client)
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_locks
     WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))`,
  )
  expect(await moved).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^the move stopped: terminating connection .*; run the command again to continue\n$/,
    ) as string,
  })
  await client.query('ROLLBACK')
  expect(await move(from, to)).toMatchObject({ code: 0 })
})

test('a move names a row that PostgreSQL cannot store, and continues once it is corrected', async () => {
  const [from, to] = [await sqliteLocation(), await postgresLocation()]
  await using(from, async (store) => {
    for (const id of [1n, 2n, 3n]) await store.create('me', storedPlant({ id, name: 'a' }))
  })
  const setTag = (tag: string | null) =>
    using(from, (store) => store.write('me', 'UPDATE plants SET tag = ? WHERE id = 2', [tag]))
  await setTag('a\0')
  expect(await move(from, to)).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'the target cannot store the row of plants with caller me, id 2: invalid byte sequence for encoding "UTF8": 0x00; ' +
      'correct it in the source, and run the command again to continue\n',
  })
  await setTag(null)
  expect(await move(from, to)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^resumed/) as string })
})

test.for<['plants' | 'tokens', (store: Store) => Promise<unknown>]>([
  ['plants', (store) => store.create('me', storedPlant({ id: 0n, name: 'another' }))],
  ['plants', (store) => store.create('zz', storedPlant({ id: 0n, name: 'one more' }))],
  ['tokens', (store) => store.addToken(createToken('me', 1_795_000_000_000).stored)],
])('a target with other %s is refused and left unchanged', async ([kind, change]) => {
  const [from, to] = [await postgresLocation(), await sqliteLocation()]
  await using(from, (store) => store.create('me', storedPlant({ id: 1n, name: 'a' })))
  await using(from, (store) => store.addToken(createToken('me', 1_795_000_000_000).stored))
  const content = await using(to, async (store) => {
    await change(store)
    return contentOf(store)
  })
  expect(await move(from, to)).toEqual({
    code: 1,
    stdout: '',
    stderr: `the target has other ${kind} than the source; nothing was changed\n`,
  })
  expect(await using(to, contentOf)).toEqual(content)
})

test('a missing or empty source is refused, and no database is created', async () => {
  const folder = await temporaryFolder()
  const file = join(folder, 'missing.db')
  const stderr = `--from: there is no database ${file}; nothing was changed\n`
  const refusal = { code: 1, stdout: '', stderr }
  const to = { engine: 'sqlite', file: join(folder, 'to.db') } as const
  expect(await move({ engine: 'sqlite', file }, to)).toEqual(refusal)
  expect(readdirSync(folder)).toEqual([])
  writeFileSync(file, '')
  expect(await move({ engine: 'sqlite', file }, to)).toEqual(refusal)
  expect({ names: readdirSync(folder), size: statSync(file).size }).toEqual({ names: ['missing.db'], size: 0 })
})

test.for(['PGPASSWORD', 'PGPASSFILE'])('the password is read from %s', async (variable) => {
  const url = new URL(await temporaryDatabase())
  const password = decodeURIComponent(url.password)
  url.password = ''
  const file = join(await temporaryFolder(), 'pgpass')
  await writeFile(file, `${url.hostname}:${url.port}:*:${url.username}:${password}\n`, { mode: 0o600 })
  const from = await sqliteLocation()
  await using(from, (store) => store.create('me', storedPlant({ id: 1n, name: 'a' })))
  const environment = { PGPASSFILE: join(file, 'none') }
  const options = ['--from', urlOf(from), '--to']
  expect(await runScript('scripts/move/move.ts', [...options, url.href], environment)).toMatchObject({
    code: 1,
    stdout: '',
  })
  // The file has the password of one host.
  const several = `${url.href.replace(url.host, `127.0.0.1:1,${url.host}`)}&target_session_attrs=read-write`
  const { code, stdout } = await runScript('scripts/move/move.ts', [...options, several], {
    ...environment,
    [variable]: variable === 'PGPASSWORD' ? password : file,
  })
  expect(stdout).toContain('verified  plants: 1 with')
  expect(code).toBe(0)
})

test.for([
  [{ '--to': 'postgres://me:hunter2@h:port/d' }, '--to must be sqlite:PATH or postgres:'],
  [{ '--to': 'sqlite:file:/tmp/hunter2.db?mode=memory' }, '--to must be sqlite:PATH with the path of a file,'],
  [{ '--from': 'sqlite://hunter2.db' }, '--from must be sqlite:PATH with the path of a file,'],
] as const)('a move refuses %j in one line, without quoting it', async ([option, message]) => {
  const options = { '--from': 'sqlite:a.db', '--to': 'sqlite:b.db', ...option }
  const { code, stderr } = await runHere('scripts/move/move.ts', Object.entries(options).flat())
  expect(code).toBe(1)
  expect(stderr).toMatch(new RegExp(`^${message}[^\n]*; nothing was changed\n$`))
  expect(stderr).not.toContain('hunter2')
})
