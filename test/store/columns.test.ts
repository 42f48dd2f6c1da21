import { join, relative } from 'node:path'
import { documentOf } from 'fastify-contract/document'
import { expect, test } from 'vitest'
import { contract } from '../../generated/contract.ts'
import type * as openStoreModule from '../../src/store/open-store.ts'
import type * as checkRowsModule from '../../src/process/check-rows.ts'
import type { DatabaseLocation } from '../../src/store/location.ts'
import type { Store } from '../../src/store/store.ts'
import { copyProject } from '../contract/project-copy.ts'
import { directions, locations, postgresLocation, using } from '../scripts/moved-stores.ts'
import { shownPlant, storedPlant } from '../support/plants.ts'
import { openConnection } from '../support/server/postgres-database.ts'
import { runHere } from '../support/server/run-here.ts'
import { urlOf } from '../support/server/served-database.ts'
import { projectFolder } from '../support/server/start-process.ts'
import { plantsOf } from './list-text.ts'

/** A table whose key has capitals, with bytes that are no properties of its rows. */
const bedTable = `export const bedTable = {
  name: 'beds',
  key: { caller: 'text', bedId: 'int64' },
  columns: { photo: 'bytes', smallPhoto: 'bytes?' },
  schema: 'Bed',
  properties: ['bedId'],
} as const satisfies Table
`

/** Adds a migration. */
const migrate = (schema: string, [integer, bytes, collation, options]: readonly [string, string, string, string]) =>
  schema.replace(
    '\n]\n',
    (end) => `
  \`ALTER TABLE plants ADD COLUMN "plantedAt" TEXT;
   CREATE TABLE beds (caller TEXT ${collation} NOT NULL, "bedId" ${integer} NOT NULL, photo ${bytes} NOT NULL,
     "smallPhoto" ${bytes}, PRIMARY KEY (caller, "bedId")) ${options};
   CREATE INDEX by_photo ON beds ("smallPhoto");\`,${end}`,
  )

/** A copy of the service in which plants have `plantedAt`, and which has beds. */
async function serviceWithColumns() {
  const { root, edit } = await copyProject()
  await edit(
    'src/plants/plant.ts',
    (text) => bedTable + text.replace(/^const columns.*\n/m, "$&  plantedAt: 'text?',\n"),
  )
  await edit('src/store/tables.ts', (text) =>
    text.replace('tables = [', 'tables = [bedTable, ').replace('{ plantTable }', '{ bedTable, plantTable }'),
  )
  await edit('src/store/sqlite/schema.ts', (text) => migrate(text, ['INTEGER', 'BLOB', '', 'STRICT, WITHOUT ROWID']))
  await edit('src/store/postgres/schema.ts', (text) => migrate(text, ['bigint', 'bytea', 'COLLATE "C"', '']))
  const load = (file: string): Promise<unknown> => import(join(root, 'src', file))
  const script = relative(projectFolder, join(root, 'scripts/move/move.ts'))
  return {
    ...((await load('store/open-store.ts')) as typeof openStoreModule),
    ...((await load('process/check-rows.ts')) as typeof checkRowsModule),
    move: (from: DatabaseLocation, to: DatabaseLocation) => runHere(script, ['--from', urlOf(from), '--to', urlOf(to)]),
  }
}

const { components, ...rest } = documentOf(contract)
const plantedAt = { properties: { plantedAt: { const: '2026-11-29' } } }
const schemas = {
  ...components?.schemas,
  Plant: { allOf: [components?.schemas?.['Plant'] ?? false, plantedAt] },
  Bed: { properties: { bedId: { const: 7n } } },
}
const document = { ...rest, components: { ...components, schemas } }

test.for(directions)('columns with capitals, and of bytes, work in %s and after a move to %s', async ([from, to]) => {
  const first = await locations[from]()
  await using(first, (store) => store.create('me', storedPlant({ id: 1n })))
  const { openStore, move, findUnfitRows } = await serviceWithColumns()
  const [old, plant] = [shownPlant(), { ...shownPlant(), plantedAt: '2026-11-29' }]
  const [photo, empty] = [Buffer.of(0, 39, 92, 255), Buffer.of()]
  const insert = 'INSERT INTO beds (caller, "bedId", photo, "smallPhoto") VALUES (?, ?, ?, ?) RETURNING "bedId"'
  const fill = async (store: Store) => {
    expect(await store.create('me', { ...storedPlant({ id: 2n }), ...plant })).toBe('created')
    await store.write('me', insert, ['me', 7n, new Uint8Array(photo), null])
    await store.write('me', insert, ['me', 8n, new Uint8Array(photo), new Uint8Array(empty)])
  }
  await using(first, fill, openStore)
  const [second, third] = [await locations[to](), await locations[from]()]
  expect(await move(first, second)).toMatchObject({ code: 0, stderr: '' })
  expect(await move(second, third)).toMatchObject({ code: 0, stderr: '' })

  async function expectAll(store: Store): Promise<void> {
    // Short and long lists use different statements.
    for (const limit of [undefined, 2]) {
      expect(await plantsOf(store, 'me', limit)).toEqual([old, plant])
    }
    const plants = await store.read('me', 'SELECT "plantedAt" FROM plants WHERE "plantedAt" > ?', ['2026'])
    expect(plants).toEqual([{ plantedAt: '2026-11-29' }])
    expect(await store.read('me', 'SELECT photo, "smallPhoto" FROM beds ORDER BY "bedId"', [])).toEqual([
      { photo, smallPhoto: null },
      { photo, smallPhoto: empty },
    ])
    expect(await findUnfitRows(store, document)).toEqual([
      expect.stringMatching(/^1 of 2 rows of beds .* caller me, bedId 8: /),
    ])
    expect(await store.isReady()).toBe(true)
  }
  for (const location of [first, second, third]) await using(location, expectAll, openStore)
})

test('a column that PostgreSQL has folded is refused, with the statement that renames it', async () => {
  const location = await postgresLocation()
  const { openStore } = await serviceWithColumns()
  const open = () => using(location, (store) => store.isReady(), openStore)
  await open()
  const client = await openConnection(urlOf(location))
  await client.query('ALTER TABLE plants RENAME COLUMN "plantedAt" TO plantedAt')
  const refusal = await open().catch(String)
  expect(refusal).toContain(
    ' has plants.plantedat instead of plants.plantedAt: write "plantedAt" with its quotes in the',
  )
  await client.query(/ALTER TABLE .*/.exec(String(refusal))?.[0] ?? '')
  expect(await open()).toBe(true)
})

test.each([
  ['a key that is not there', '', /^cannot open the database .*: foreign key mismatch - "plants" referencing "tokens"/],
  [
    'rows that are not there',
    `CREATE UNIQUE INDEX by_prefix ON tokens (prefix); UPDATE plants SET owner = 'nobody';`,
    /^1 rows of plants in .*plants\.db refer to rows that tokens does not have; correct the migration; nothing was/,
  ],
])('an SQLite migration with a foreign key to %s changes nothing', async (_what, statements, message) => {
  const location = await locations.SQLite()
  await using(location, (store) => store.create('me', storedPlant({ id: 1n })))
  const { root, edit } = await copyProject()
  const migration = `ALTER TABLE plants ADD COLUMN owner TEXT REFERENCES tokens (prefix); ${statements}`
  await edit('src/store/sqlite/schema.ts', (text) => text.replace('\n]\n', (end) => `\n\`${migration}\`,${end}`))
  const { openStore } = (await import(join(root, 'src/store/open-store.ts'))) as typeof openStoreModule
  await expect(using(location, (store) => store.isReady(), openStore)).rejects.toThrow(message)
  expect(await using(location, (store) => plantsOf(store, 'me'))).toEqual([shownPlant()])
})
