import type { Input, Schemas } from '../../generated/contract.ts'
import { type ColumnsOf, type Row, type Table, objectReader, quoted, valuesReader } from '../store/table.ts'

/** A plant as the contract's responses show it. */
export type Plant = Schemas['Plant']

/** A plant to create. */
export type NewPlant = Input<'createPlant'>['body']

/** A plant as the store keeps it: what the client sent, and what the server sets. The compiler names what is missing. */
export type StoredPlant = Plant & NewPlant

/** The columns of a plant besides its caller and id, in the order of its JSON. */
const columns: ColumnsOf<Omit<StoredPlant, 'id'>> = {
  name: 'text',
  tag: 'text?',
}

export const plantTable = {
  name: 'plants',
  key: { caller: 'text', id: 'int64' },
  columns,
  schema: 'Plant',
  properties: Object.keys(columns),
  keepsJson: true,
} as const satisfies Table

/** The names of the columns, quoted for SQL. */
export const plantColumns = quoted(plantTable.properties)

/**
 * Makes a plant as responses show it of a stored one, or of its row. The contract requires what a stored plant has, and
 * the schema what a row has.
 */
export const plantOf = objectReader(plantTable) as (stored: Row) => Plant

/** The values of the columns, which both drivers accept. */
export const valuesOfPlant = valuesReader(columns)
