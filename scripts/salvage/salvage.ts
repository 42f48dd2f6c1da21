import { closeSync, openSync } from 'node:fs'
import Database from 'better-sqlite3'
import { UsageError } from '../command.ts'
import type { Value } from './decode-page.ts'
import { type IsPage, Walk, pagesOf } from './walk.ts'

/** An entry of the schema of the damaged file. */
interface Entry {
  name: string
  type: 'table' | 'index' | 'trigger' | 'view'
  /** The first page of its b-tree; 0 without one. */
  root: number
  /** Null for the index of a constraint. */
  sql: string | null
}

/** A column, in the order of records. */
interface Column {
  name: string
  type: string
  isKey: 0 | 1
  isRequired: 0 | 1
  hasDefault: 0 | 1
  isGenerated: 0 | 1
}

/** What a salvage leaves out. */
export interface Loss {
  /** Damaged pages, and pages below them that may be of several tables. */
  pages: number
  /** Rows that break a constraint, have the same key as another, or another stored column than their columns give. */
  rows: number
}

interface Table {
  columns: Column[]
  /** How many of the columns are the key. */
  keyLength: number
  /** @returns whether the row is a new and a whole one that breaks no constraint */
  insert: (record: Value[]) => boolean
}

/**
 * Copies all rows that can be read from a damaged file to an empty one.
 *
 * Goes through the b-trees from their roots, so that no row returns that was deleted. Pages below a damaged one are found
 * among those that are neither in a b-tree nor free.
 *
 * @param damaged a file that nobody else has open
 * @param target an empty file, which gets the same schema
 * @throws UsageError if a table has a rowid; better-sqlite3's error if the header or the schema is damaged, too
 */
export function salvage(damaged: string, target: string): Loss {
  const source = new Database(damaged, { fileMustExist: true })
  // So that SQLite keeps no log beside the file.
  source.pragma('journal_mode = DELETE')
  const copy = new Database(target, { fileMustExist: true })
  const descriptor = openSync(damaged, 'r')
  try {
    return copy.transaction(() => copyTables(source, copy, new Walk(pagesOf(descriptor))))()
  } finally {
    closeSync(descriptor)
    copy.close()
    source.close()
  }
}

function copyTables(source: Database.Database, copy: Database.Database, walk: Walk): Loss {
  // Tables of SQLite itself, such as statistics, are made again when they are needed.
  const entries = source
    .prepare<[], Entry>(
      `SELECT name, type, rootpage AS root, sql FROM sqlite_schema WHERE type <> 'table' OR name NOT LIKE 'sqlite@_%' ESCAPE '@'`,
    )
    .all()
  const tables: Table[] = []
  let rows = 0
  const insert = (records: Value[][], table: Table) => {
    for (const record of records) if (!table.insert(record)) rows++
  }
  for (const { name, root, sql } of entries.filter(({ type }) => type === 'table')) {
    // A table has a statement.
    const table = makeTable(source, copy, name, sql!)
    tables.push(table)
    for (const { records } of walk.below(root, isPageOf(table))) insert(records, table)
  }
  // The pages of indexes have no rows, and must not be taken for some.
  for (const { root } of entries.filter(({ type }) => type === 'index')) Array.from(walk.below(root, () => true))
  for (const { records } of walk.unreached()) {
    const [table, ...others] = tables.filter((each) => isPageOf(each)(records, undefined, undefined))
    if (table === undefined || others.length > 0) walk.damaged++
    else insert(records, table)
  }
  for (const { type, sql } of entries) if (type !== 'table' && sql !== null) copy.exec(sql)
  for (const pragma of ['application_id', 'user_version'])
    copy.pragma(`${pragma} = ${String(source.pragma(pragma, { simple: true }))}`)
  return { pages: walk.damaged, rows }
}

/** Makes a table like that of the source. */
function makeTable(source: Database.Database, copy: Database.Database, name: string, sql: string): Table {
  copy.exec(sql)
  // The key comes first. Virtual columns (hidden = 2) are not stored.
  const columns = source
    .prepare<[string], Column>(
      `SELECT name, type, pk > 0 AS isKey, "notnull" OR pk > 0 AS isRequired, dflt_value IS NOT NULL AS hasDefault,
         hidden <> 0 AS isGenerated
       FROM pragma_table_xinfo(?) WHERE hidden <> 2 ORDER BY pk = 0, pk, cid`,
    )
    .all(name)
  const isWithoutRowid = source.prepare<[string], number>(`SELECT wr FROM pragma_table_list WHERE name = ?`).pluck()
  if (isWithoutRowid.get(name) !== 1)
    throw new UsageError(`the table ${name} was not made WITHOUT ROWID, so its damaged pages cannot be skipped`)
  const inserts = new Map<number, Database.Statement<Value[], Value[]>>()
  const keys = columns.filter(({ isKey }) => isKey === 1)
  const remove = copy.prepare<Value[]>(
    `DELETE FROM "${name}" WHERE ${keys.map((column) => `"${column.name}" = ?`).join(' AND ')}`,
  )
  const generated = [...columns.entries()].filter(([, { isGenerated }]) => isGenerated !== 0).map(([index]) => index)
  return {
    columns,
    keyLength: keys.length,
    insert: (record) => {
      // Rows that were stored before a column was added are shorter.
      const statement =
        inserts.get(record.length) ??
        copy
          .prepare<Value[], Value[]>(insertInto(name, columns, record.length))
          .raw()
          .safeIntegers()
      inserts.set(record.length, statement)
      const computed = statement.get(...record.filter((_value, index) => columns[index]?.isGenerated === 0))
      if (computed === undefined) return false
      // What a damage has mixed of two rows has another generated column than is stored.
      const isWhole = generated.every((column, index) => record[column] === computed[index])
      if (!isWhole) remove.run(...record.slice(0, keys.length))
      return isWhole
    },
  }
}

/** A row that is there already stays: it was reached from its root. */
function insertInto(table: string, columns: Column[], length: number): string {
  const written = columns.slice(0, length).filter(({ isGenerated }) => isGenerated === 0)
  const names = written.map(({ name }) => `"${name}"`).join()
  const generated = columns.filter(({ isGenerated }) => isGenerated !== 0).map(({ name }) => `"${name}"`)
  const returned = generated.length === 0 ? '1' : generated.join()
  return `INSERT OR IGNORE INTO "${table}" (${names}) VALUES (${written.map(() => '?').join()}) RETURNING ${returned}`
}

/**
 * Makes a function: whether records can be of a page of a table. They have the types of its columns, and their keys
 * ascend. A page of another place, or an older one, has other keys.
 */
function isPageOf(table: Table): IsPage {
  return (records, low, high) => {
    const keys = [low, ...records, high].flatMap((record) =>
      record === undefined ? [] : [record.slice(0, table.keyLength)],
    )
    return (
      records.every((record) => isRow(record, table)) &&
      keys.every((key, index) => index === 0 || isBelow(keys[index - 1]!, key))
    )
  }
}

function isRow(record: Value[], { columns }: Table): boolean {
  return (
    record.length <= columns.length &&
    columns.every(({ type, isRequired, hasDefault }, index) => {
      const value = record[index]
      if (value === undefined) return isRequired === 0 || hasDefault === 1
      return value === null ? isRequired === 0 : hasType(value, type)
    })
  )
}

/** Compares keys whose columns have the same types, as SQLite does: texts and blobs by their bytes. */
function isBelow(one: Value[], other: Value[]): boolean {
  for (const [index, value] of one.entries()) {
    const order = compare(value, other[index]!)
    if (order !== 0) return order < 0
  }
  return false
}

function compare(one: Value, other: Value): number {
  if (isNumber(one) && isNumber(other)) return one < other ? -1 : one > other ? 1 : 0
  return Buffer.compare(bytesOf(one), bytesOf(other))
}

function isNumber(value: Value): value is bigint | number {
  return typeof value === 'bigint' || typeof value === 'number'
}

function bytesOf(value: Value): Uint8Array {
  return value instanceof Uint8Array ? value : Buffer.from(String(value))
}

/** Whether a value has the type of a column in a strict table (sqlite.org/stricttables.html). */
function hasType(value: NonNullable<Value>, type: string): boolean {
  switch (type) {
    case 'INT':
    case 'INTEGER':
      return typeof value === 'bigint'
    case 'REAL':
      return typeof value === 'number' || typeof value === 'bigint'
    case 'TEXT':
      return typeof value === 'string'
    case 'BLOB':
      return value instanceof Uint8Array
    default:
      return true
  }
}
