import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from 'pg'
import { expect, onTestFinished } from 'vitest'
import { createToken } from '../../src/auth/tokens.ts'
import type { DatabaseLocation } from '../../src/store/location.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { listText } from '../store/list-text.ts'
import { awkwardTexts } from '../support/client/awkward-texts.ts'
import { connect, temporaryDatabase } from '../support/server/postgres-database.ts'
import { type Program, startProgram } from '../support/server/program.ts'
import { runHere } from '../support/server/run-here.ts'
import { urlOf } from '../support/server/served-database.ts'
import { temporaryFolder } from '../support/server/start-app.ts'
import { nodeBinary, projectFolder } from '../support/server/start-process.ts'
import { storedPlant } from '../support/plants.ts'

/** UTF-8 and UTF-16 do not agree on the order of the last two. */
const callers = ['me', 'ME', 'you', 'é', 'e\u0301', '\uffff', '\u{1f331}']

export async function sqliteLocation(): Promise<DatabaseLocation> {
  return { engine: 'sqlite', file: join(await temporaryFolder(), 'plants.db') }
}

/** A move looks for the servers of a database by this name. The servers of other tests use other schemas of it. */
export async function postgresLocation(): Promise<DatabaseLocation> {
  return { engine: 'postgres', url: await temporaryDatabase() }
}

export const locations = { SQLite: sqliteLocation, PostgreSQL: postgresLocation }

export type Engine = keyof typeof locations

/** Both directions between the stores. */
export const directions: [Engine, Engine][] = [
  ['SQLite', 'PostgreSQL'],
  ['PostgreSQL', 'SQLite'],
]

/** Connects to a database, but not as a server. */
export async function observe(location: DatabaseLocation): Promise<Client> {
  const url = new URL(urlOf(location))
  url.searchParams.set('application_name', 'test')
  const client = await connect(url.href)
  onTestFinished(() => client.end())
  return client
}

/** Opens the store at a location for a function and closes it again. @param open opens a store */
export async function using<Result>(
  location: DatabaseLocation,
  run: (store: Store) => Promise<Result>,
  open = openStore,
): Promise<Result> {
  const store = await open(location, { onFault: () => undefined })
  try {
    return await run(store)
  } finally {
    await store.close()
  }
}

export async function fill(store: Store): Promise<void> {
  for (const caller of callers) {
    await store.addToken(createToken(caller, 1_795_000_000_000).stored)
    for (const [index, [, text]] of awkwardTexts.entries())
      void store.create(caller, storedPlant({ id: BigInt(index), name: text, tag: text }))
    for (const id of [-9223372036854775808n, 9223372036854775807n])
      void store.create(caller, storedPlant({ id, name: String(id) }))
  }
  await store.addToken(createToken('me', 1_795_000_000_000, 1_000, 'plants:read').stored)
  const outcomes = await Promise.all(
    Array.from({ length: 2_345 }, (_, index) =>
      store.create('many', storedPlant({ id: BigInt(index) - 1_000n, name: `Monstera ${String(index)}` })),
    ),
  )
  expect(new Set(outcomes)).toEqual(new Set(['created']))
}

export async function contentOf(store: Store): Promise<unknown> {
  const tokens = await store.listTokens()
  if (tokens === 'unavailable') throw new Error('the store is unavailable')
  const lists = await Promise.all([...callers, 'many'].map((caller) => listText(store, caller)))
  return [lists, tokens.map(({ hash, ...token }) => ({ ...token, hash: Buffer.from(hash).toString('hex') }))]
}

export function move(from: DatabaseLocation, to: DatabaseLocation) {
  return runHere('scripts/move/move.ts', ['--from', urlOf(from), '--to', urlOf(to)])
}

/** Enough that a move is seen in the middle. */
export const many = 20_000

export async function fillWithMany(store: Store): Promise<void> {
  for (let first = 0; first < many; first += 5_000)
    await Promise.all(
      Array.from({ length: 5_000 }, (_, index) =>
        store.create('me', storedPlant({ id: BigInt(first + index), name: 'Monstera' })),
      ),
    )
}

/** Starts a move, and waits until the target has some of the plants. */
export async function startMove(from: DatabaseLocation, to: DatabaseLocation): Promise<Program> {
  await using(to, () => Promise.resolve())
  const countPlants = to.engine === 'sqlite' ? undefined : await plantCounter(to)
  const hasPlants = async () =>
    to.engine === 'sqlite' ? sizeOf(`${to.file}-wal`) > 200_000 : ((await countPlants?.()) ?? 0) > 0
  const script = join(projectFolder, 'scripts/move/move.ts')
  return startProgram([nodeBinary, script, '--from', urlOf(from), '--to', urlOf(to)], {}, hasPlants)
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

async function plantCounter(location: DatabaseLocation): Promise<() => Promise<number>> {
  const client = await observe(location)
  return async () => Number((await client.query<{ count: string }>('SELECT count(*) FROM plants')).rows[0]?.count)
}
