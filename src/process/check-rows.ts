import type { ContractDocument } from 'fastify-contract/document'
import { createValueChecks, inPlace, isSchema, schemasPointer, typesOf } from 'fastify-contract/schema'
import { type Sql, UnusableStore } from '../store/store.ts'
import { type Row, type Table, allColumns, kindOf, objectReader, quoted } from '../store/table.ts'
import { tables } from '../store/tables.ts'

/** How many of the first and of the last rows of a table are compared. */
const sampleRows = 100

const resources = (tables as readonly Table[]).flatMap((table) =>
  table.schema === undefined ? [] : [{ table, schema: table.schema }],
)

/**
 * Refuses columns of properties that the contract does not have, and columns of integers for properties that may have
 * fractions. The compiler finds the former before, but not the latter: both are numbers.
 *
 * @throws UnusableStore
 */
export function assertKinds({ components }: ContractDocument): void {
  const schemas = components?.schemas ?? {}
  for (const { table, schema } of resources) {
    const declared = inPlace(schemas[schema] ?? {}, schemas).map(({ properties }) => properties)
    for (const property of table.properties ?? []) {
      const types = declared.flatMap((each) =>
        isSchema(each) && property in each ? [typesOf(each[property], schemas)] : [],
      )
      if (types.length === 0) {
        throw new UnusableStore(
          `${table.name} has a column for ${property}, but ${schema} in the contract has no such property; declare it ` +
            'there, or remove the column from the table in src',
        )
      }
      if (kindOf(allColumns(table)[property]!) !== 'integer' || !types.every((each) => each.has('number'))) continue
      throw new UnusableStore(
        `the column ${table.name}.${property} has the kind integer, but the contract allows fractions in ` +
          `${schema}.${property}; make it a number`,
      )
    }
  }
}

/**
 * Compares stored rows with the contract. Lists are sent as they are stored, and a changed contract does not change what
 * is stored.
 *
 * @returns a warning for each table with rows that do not fit
 */
export async function findUnfitRows(sql: Sql, { components }: ContractDocument): Promise<string[]> {
  const check = createValueChecks(components?.schemas ?? {}, 'response')
  const warnings: string[] = []
  for (const { table, schema } of resources) {
    const isFit = check({ $ref: schemasPointer + schema })
    const toObject = objectReader(table)
    const rows = await sampleOf(sql, table)
    const unfit = rows.flatMap((row) => {
      const problem = typeof isFit === 'string' ? undefined : isFit(toObject(row))?.problem
      return problem === undefined ? [] : [{ row, problem }]
    })
    const [first] = unfit
    if (first === undefined) continue
    const key = Object.keys(table.key).map((name) => `${name} ${String(first.row[name])}`)
    warnings.push(
      `${String(unfit.length)} of ${String(rows.length)} rows of ${table.name} that were compared do not fit ${schema} in ` +
        `the contract, such as that of ${key.join(', ')}: ${first.problem}; lists send them as they are; correct them ` +
        'with a migration, or allow them in the contract',
    )
  }
  return warnings
}

async function sampleOf(sql: Sql, table: Table) {
  const columns = quoted(Object.keys(allColumns(table)))
  const names = Object.keys(table.key)
  const key = names.map((name) => `"${name}"`)
  const read = (order: string) =>
    sql.read('', `SELECT ${columns} FROM ${table.name} ORDER BY ${order} LIMIT ?`, [sampleRows])
  const ends = await Promise.all([read(key.join()), read(key.map((name) => `${name} DESC`).join())])
  const rows = ends.flatMap((each) => (each === 'unavailable' ? [] : each))
  // A short table has the same rows at both ends.
  const keyOf = (row: Row) => names.map((name) => String(row[name])).join('\0')
  return [...new Map(rows.map((row) => [keyOf(row), row])).values()]
}
