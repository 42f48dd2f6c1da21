import type { Input, Schemas } from '../../generated/contract.ts'
import { type ColumnsOf, type Row, type Table, objectReader, quoted, valuesReader } from '../store/table.ts'

/** A plant as the contract's responses show it. */
export type Plant = Schemas['Plant']

/** A plant to create. */
export type NewPlant = Input<'createPlant'>['body']

/** What is stored of a plant besides its id. A property that only one of `Plant` and `NewPlant` has cannot be stored. */
type StoredPlant = {
  [Property in Exclude<keyof (Plant & NewPlant), 'id'>]: Property extends keyof Plant & keyof NewPlant
    ? Plant[Property]
    : never
}

/** The columns of a plant besides its caller and id, in the order of its JSON. */
const columns: ColumnsOf<StoredPlant> = {
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

const toObject = objectReader(plantTable)

/** Makes a plant of a request body or of a row. */
export function plantOf(values: Row): Plant {
  // The contract requires what a body has, and the schema what a row has.
  return toObject(values) as Plant
}

/** The values of the columns, which both drivers accept. */
export const valuesOfPlant = valuesReader(columns)
