/** A value that both drivers accept. */
export type Value = string | number | bigint | Uint8Array | null

/** A value that is not null, as a driver returns it. */
type Stored = NonNullable<Value> | boolean

type Engine = 'sqlite' | 'postgres'

interface KindOfColumn extends Record<Engine, string> {
  /** Makes the value of the contract from a stored one. */
  read: (value: Stored) => NonNullable<Value> | boolean
}

/** The kinds of columns, with their types in the two databases. An enum, a date and a time are texts. */
export const kinds = {
  text: { sqlite: 'TEXT', postgres: 'text', read: String },
  integer: { sqlite: 'INTEGER', postgres: 'bigint', read: Number },
  // PostgreSQL's driver returns text.
  int64: { sqlite: 'INTEGER', postgres: 'bigint', read: (value) => BigInt(value as bigint | string) },
  number: { sqlite: 'REAL', postgres: 'double precision', read: Number },
  boolean: { sqlite: 'INTEGER', postgres: 'boolean', read: (value) => Number(value) === 1 },
  bytes: { sqlite: 'BLOB', postgres: 'bytea', read: (value) => value },
} as const satisfies Record<string, KindOfColumn>

export type Kind = keyof typeof kinds

/** The kind of a column, with a `?` if it may be NULL. Any other is NOT NULL. */
export type Column = Kind | `${Kind}?`

/** The kinds that fit a property of the contract. The start compares `integer` and `number` with the contract. */
type KindOf<Property> = [Property] extends [never]
  ? never
  : [Property] extends [string]
    ? 'text'
    : [Property] extends [boolean]
      ? 'boolean'
      : [Property] extends [bigint]
        ? 'int64'
        : [Property] extends [number]
          ? 'integer' | 'number'
          : never

/** The columns of a resource, one for each property of the schema that responses show. */
export type ColumnsOf<Resource> = {
  readonly [Property in keyof Resource]-?: undefined extends Resource[Property]
    ? `${KindOf<NonNullable<Resource[Property]>>}?`
    : KindOf<Resource[Property]>
}

/** A table of both databases. Their schema.ts creates it, with these columns. */
export interface Table {
  /** Without capitals: PostgreSQL folds a name that has no quotes to lower case. */
  name: Lowercase<string>
  /** The columns of the primary key. The first is never empty. */
  key: Readonly<Record<string, Kind>>
  /** The other columns. */
  columns: Readonly<Record<string, Column>>
  /** The contract's schema of a row; undefined if no response shows rows. */
  schema?: string
  /** The columns that are its properties, in the order of its JSON. An absent property is NULL. */
  properties?: readonly string[]
  /** Whether SQLite keeps the JSON of a row, in a column `json`. */
  keepsJson?: boolean
}

/** A row as a driver returns it, or a request's body. */
export type Row = Readonly<Record<string, Stored | null | undefined>>

export function allColumns({ key, columns }: Table): Readonly<Record<string, Column>> {
  return { ...key, ...columns }
}

export function kindOf(column: Column): Kind {
  // Without the mark, it is a kind.
  return column.replace('?', '') as Kind
}

/** The type of a column in a database. */
export function typeOf(column: Column, engine: Engine): string {
  return kinds[kindOf(column)][engine] + (column.endsWith('?') ? '' : ' NOT NULL')
}

/** The names of columns, quoted for SQL. */
export function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join()
}

/** Makes a function that makes the object of the contract of a row. */
export function objectReader(table: Table): (row: Row) => Record<string, unknown> {
  const columns = allColumns(table)
  const names = table.properties ?? []
  const readers = names.map((name) => kinds[kindOf(columns[name]!)].read)
  return (row) => {
    const object: Record<string, unknown> = {}
    for (let index = 0; index < names.length; index++) {
      const name = names[index]!
      const value = row[name]
      if (value !== undefined && value !== null) object[name] = readers[index]!(value)
    }
    return object
  }
}

/** Makes a function that reads the values of columns of a row. They are equal in both databases. */
export function valuesReader(columns: Table['columns']): (row: Row) => Value[] {
  const names = Object.keys(columns)
  const readers = names.map((name) => kinds[kindOf(columns[name]!)].read)
  return (row) => {
    const values: Value[] = []
    for (let index = 0; index < names.length; index++) {
      const value = row[names[index]!] ?? null
      const stored = value === null ? null : readers[index]!(value)
      // SQLite has no boolean, and PostgreSQL takes 1 and 0.
      values.push(typeof stored === 'boolean' ? Number(stored) : stored)
    }
    return values
  }
}

/**
 * SQL for the JSON of a row, or of the columns of a query with the same names. Texts, integers and booleans have the bytes
 * of JSON.stringify. A number has the same value, with more digits at times.
 */
export function jsonOf(table: Table, engine: Engine): string {
  const columns = allColumns(table)
  const members = (table.properties ?? []).map((property) => {
    const column = `"${property}"`
    const name = `${JSON.stringify(property)}:`.replaceAll("'", "''")
    if (engine === 'postgres') return `'${name}' || to_json(${column})::text`
    return `CASE WHEN ${column} IS NULL THEN '' ELSE ',${name}' || ${sqliteJson[kindOf(columns[property]!)](column)} END`
  })
  // concat_ws leaves out what is null. Older programs that read SQLite files do not have it.
  if (engine === 'postgres') return `'{' || concat_ws(',', ${members.join()}) || '}'`
  return `'{' || substr(${members.join(' || ')}, 2) || '}'`
}

const sqliteJson: Record<Kind, (column: string) => string> = {
  text: quote,
  integer: quote,
  int64: quote,
  // JavaScript writes 1.0 as 1.
  number: (column) => `json_quote(iif(${column} = CAST(${column} AS INTEGER), CAST(${column} AS INTEGER), ${column}))`,
  boolean: (column) => `iif(${column}, 'true', 'false')`,
  bytes: (column) => quote(`hex(${column})`),
}

function quote(column: string): string {
  return `json_quote(${column})`
}
