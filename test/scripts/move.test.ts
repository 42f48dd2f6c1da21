import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createToken } from '../../src/auth/tokens.ts'
import type { DatabaseLocation } from '../../src/store/location.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { listText } from '../store/list-text.ts'
import { awkwardTexts } from '../support/client/awkward-texts.ts'
import { urlOf } from '../support/server/served-database.ts'
import { connect, temporaryDatabase, waitUntilBlocking } from '../support/server/postgres-database.ts'
import { startProgram } from '../support/server/program.ts'
import { temporaryFolder } from '../support/server/start-app.ts'
import { nodeBinary, projectFolder, runScript } from '../support/server/start-process.ts'

/** UTF-8 and UTF-16 do not agree on the order of the last two. */
const callers = ['me', 'ME', 'you', 'é', 'e\u0301', '\uffff', '\u{1f331}']

async function sqliteLocation(): Promise<DatabaseLocation> {
  return { engine: 'sqlite', file: join(await temporaryFolder(), 'plants.db') }
}

async function postgresLocation(): Promise<DatabaseLocation> {
  return { engine: 'postgres', url: await temporaryDatabase() }
}

/** Opens the store at a location for a function and closes it again. */
async function using<Result>(location: DatabaseLocation, run: (store: Store) => Promise<Result>): Promise<Result> {
  const store = await openStore(location, { onFault: () => undefined })
  try {
    return await run(store)
  } finally {
    await store.close()
  }
}

async function fill(store: Store): Promise<void> {
  for (const caller of callers) {
    await store.addToken(createToken(caller, 1_795_000_000_000).stored)
    for (const [index, [, text]] of awkwardTexts.entries())
      void store.create(caller, { id: BigInt(index), name: text, tag: text })
    for (const id of [-9223372036854775808n, 9223372036854775807n]) void store.create(caller, { id, name: String(id) })
  }
  await store.addToken(createToken('me', 1_795_000_000_000, 1_000, 'plants:read').stored)
  const outcomes = await Promise.all(
    Array.from({ length: 2_345 }, (_, index) =>
      store.create('many', { id: BigInt(index) - 1_000n, name: `Monstera ${String(index)}` }),
    ),
  )
  expect(new Set(outcomes)).toEqual(new Set(['created']))
}

async function contentOf(store: Store): Promise<unknown> {
  const tokens = await store.listTokens()
  if (tokens === 'unavailable') throw new Error('the store is unavailable')
  const lists = await Promise.all([...callers, 'many'].map((caller) => listText(store, caller)))
  return [lists, tokens.map(({ hash, ...token }) => ({ ...token, hash: Buffer.from(hash).toString('hex') }))]
}

function move(from: DatabaseLocation, to: DatabaseLocation) {
  return runScript('scripts/move/move.ts', ['--from', urlOf(from), '--to', urlOf(to)])
}

test('a move to the other kind of store and back is complete and verified', async () => {
  const [first, second, third] = [await sqliteLocation(), await postgresLocation(), await sqliteLocation()]
  await using(first, fill)
  const there = await move(first, second)
  const back = await move(second, third)
  const verified = /^(?:verified {2}(?:tokens: 8|plants: 2,548) with SHA-256 [0-9a-f]{64} on both sides\n){2}$/
  expect(there).toEqual({ code: 0, stdout: expect.stringMatching(verified) as string, stderr: '' })
  expect(back).toEqual(there)
  const content = await using(first, contentOf)
  expect(await using(second, contentOf)).toEqual(content)
  expect(await using(third, contentOf)).toEqual(content)
})

test('a killed move resumes where it stopped', async () => {
  const [from, to] = [await sqliteLocation(), await postgresLocation()]
  await using(from, async (store) => {
    for (let first = 0; first < 40_000; first += 5_000)
      await Promise.all(
        Array.from({ length: 5_000 }, (_, index) =>
          store.create('me', { id: BigInt(first + index), name: 'Monstera' }),
        ),
      )
  })
  await using(to, () => Promise.resolve())
  const client = await connect(urlOf(to))
  onTestFinished(() => client.end())
  const script = join(projectFolder, 'scripts/move/move.ts')
  const moving = await startProgram([nodeBinary, script, '--from', urlOf(from), '--to', urlOf(to)], {}, () => true)
  const countPlants = async () =>
    Number((await client.query<{ count: string }>('SELECT count(*) FROM plants')).rows[0]?.count)
  await expect.poll(countPlants, { interval: 5, timeout: 10_000 }).toBeGreaterThan(0)
  await moving.end('SIGKILL')
  const { code, stdout } = await move(from, to)
  expect(stdout).toMatch(
    /^verified {2}tokens: 0 .*\nresumed {3}after \d+,\d{3} plants that .*\nverified {2}plants: 40,000 /m,
  )
  expect(code).toBe(0)
  expect(await countPlants()).toBe(40_000)
})

test('a move that loses its session prints in one line how to resume', async () => {
  const [from, to] = [await sqliteLocation(), await postgresLocation()]
  await using(from, fill)
  await using(to, () => Promise.resolve())
  const client = await connect(urlOf(to))
  onTestFinished(() => client.end())
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

test.for<['plants' | 'tokens', (store: Store) => Promise<unknown>]>([
  ['plants', (store) => store.create('me', { id: 0n, name: 'another' })],
  ['plants', (store) => store.create('zz', { id: 0n, name: 'one more' })],
  ['tokens', (store) => store.addToken(createToken('me', 1_795_000_000_000).stored)],
])('a target with other %s is refused and left unchanged', async ([kind, change]) => {
  const [from, to] = [await postgresLocation(), await sqliteLocation()]
  await using(from, (store) => store.create('me', { id: 1n, name: 'a' }))
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
  await using(from, (store) => store.create('me', { id: 1n, name: 'a' }))
  const environment = { PGPASSFILE: join(file, 'none') }
  const parameters = ['--from', urlOf(from), '--to', url.href]
  expect(await runScript('scripts/move/move.ts', parameters, environment)).toMatchObject({ code: 1, stdout: '' })
  const { code, stdout } = await runScript('scripts/move/move.ts', parameters, {
    ...environment,
    [variable]: variable === 'PGPASSWORD' ? password : file,
  })
  expect(stdout).toContain('verified  plants: 1 with')
  expect(code).toBe(0)
})

test('a move without a target prints the usage', async () => {
  const { code, stderr } = await runScript('scripts/move/move.ts', ['--from', 'sqlite:a.db'])
  expect(code).toBe(1)
  expect(stderr).toContain('Usage: npm run move -- --from URL --to URL')
})

test.for([
  [{ '--to': 'postgres://me:hunter2@h:port/d' }, '--to must be sqlite:PATH or postgres:'],
  [{ '--to': 'sqlite:file:/tmp/hunter2.db?mode=memory' }, '--to must be sqlite:PATH with the path of a file,'],
  [{ '--from': 'sqlite://hunter2.db' }, '--from must be sqlite:PATH with the path of a file,'],
] as const)('a move refuses %j in one line, without quoting it', async ([option, message]) => {
  const options = { '--from': 'sqlite:a.db', '--to': 'sqlite:b.db', ...option }
  const { code, stderr } = await runScript('scripts/move/move.ts', Object.entries(options).flat())
  expect(code).toBe(1)
  expect(stderr).toMatch(new RegExp(`^${message}[^\n]*; nothing was changed\n$`))
  expect(stderr).not.toContain('hunter2')
})
