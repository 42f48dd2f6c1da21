import { plantTable } from '../plants/plant.ts'
import { UnusableStore } from './store.ts'
import { type Table, allColumns, quoted, typeOf } from './table.ts'
import { tokenTable } from './token-table.ts'

/**
 * All tables. The start checks their columns; `move`, `backup`, `restore`, `isReady`, `isEmpty` and the locks of
 * migrations follow from this list, and deploy/citus.sql names each. A table stands after those that it refers to.
 */
export const tables = [plantTable, tokenTable] as const satisfies readonly Table[]

export type TableName = (typeof tables)[number]['name']

export const tableNames: readonly TableName[] = tables.map(({ name }) => name)

/** SQL for whether all tables are empty. */
export const noRows = tableNames.map((name) => `NOT EXISTS (SELECT 1 FROM ${name})`).join(' AND ')

/** Whether a caller owns the rows: deploy/citus.sql distributes them by the caller. */
export function isOwned({ key }: Table): boolean {
  return Object.keys(key)[0] === 'caller'
}

/**
 * Compares the columns of a table of a database with those of `tables`.
 *
 * @param database its name in messages
 * @param found the type of each column in the database, such as `text NOT NULL`
 * @throws UnusableStore that names a column and the remedy
 */
export function assertColumns(
  database: string,
  engine: 'sqlite' | 'postgres',
  table: Table,
  found: ReadonlyMap<string, string>,
): void {
  for (const [name, column] of Object.entries(allColumns(table))) {
    const type = found.get(name)
    const expected = typeOf(column, engine)
    if (type === expected) continue
    const place = `${table.name}.${name}`
    if (type !== undefined) {
      throw new UnusableStore(
        `${database} has ${place} as ${type}, but the kind ${column} is ${expected}; correct its kind, or its migration; ` +
          'if that has run, add another one',
      )
    }
    // PostgreSQL folds names without quotes to lower case (postgresql.org/docs/18/sql-syntax-lexical.html).
    const folded = Array.from(found.keys()).find((each) => each.toLowerCase() === name.toLowerCase())
    if (folded !== undefined) {
      throw new UnusableStore(
        `${database} has ${table.name}.${folded} instead of ${place}: write ${quoted([name])} with its quotes in the ` +
          `migration; if that has run, add another one instead: ALTER TABLE ${table.name} RENAME COLUMN ` +
          `${quoted([folded])} TO ${quoted([name])}`,
      )
    }
    const missing = found.size === 0 ? `table ${table.name}` : `column ${place}`
    throw new UnusableStore(
      `${database} lacks the ${missing}: if it is new, add its migration; if you wrote it into a migration that has run, ` +
        'add another one instead; if it was removed, restore a backup',
    )
  }
}
