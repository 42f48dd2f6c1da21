import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { connect, temporaryDatabase } from '../../support/server/postgres-database.ts'
import { openTestStore } from './open-test-store.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/postgres.md'), 'utf8')
const blocks = [...page.matchAll(/^## (\w+)\n\n```sql\n([^`]*)```/gm)].map(
  ([, name = '', ddl = '']): [string, string] => [name, ddl],
)

/** What PostgreSQL does not know: how rows are spread, and CockroachDB's names of its types. */
function forPostgres(ddl: string): string {
  const types = { STRING: 'text', BYTES: 'bytea', INT8: 'bigint', INT4: 'integer' }
  const known = Object.entries(types).reduce((text, [name, type]) => text.replaceAll(name, type), ddl)
  return known
    .replaceAll(/ HASH| ASC/g, '')
    .replaceAll(/^SELECT (?:create_distributed_table|citus_add_local_table_to_metadata)\(.*\);$/gm, '')
}

async function schemaOf(url: string): Promise<unknown> {
  const client = await connect(url)
  onTestFinished(() => client.end())
  const { rows: columns } = await client.query(
    `SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns
     WHERE table_schema = current_schema ORDER BY table_name, column_name`,
  )
  const { rows: keys } = await client.query(
    `SELECT table_name, column_name, ordinal_position FROM information_schema.key_column_usage
     WHERE table_schema = current_schema ORDER BY table_name, ordinal_position`,
  )
  const { rows: versions } = await client.query('SELECT version FROM plant_store_schema')
  return { columns, keys, versions }
}

test('the page has the schema for each of the three databases', () => {
  expect(blocks.map(([name]) => name)).toEqual(['Citus', 'CockroachDB', 'YugabyteDB'])
})

test.for(blocks)(
  'the schema for %s has the tables, columns, keys and version that the migrations make',
  async ([, ddl]) => {
    const migrated = await temporaryDatabase()
    await openTestStore(migrated)
    const made = await temporaryDatabase()
    const client = await connect(made)
    onTestFinished(() => client.end())
    await client.query(forPostgres(ddl))
    expect(await schemaOf(made)).toEqual(await schemaOf(migrated))
  },
)
