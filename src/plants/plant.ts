import { stringifyJson } from 'fastify-contract/json'
import type { Input, Schemas } from '../../generated/contract.ts'

/** A plant as the contract's responses show it. */
export type Plant = Schemas['Plant']

/** A plant to create. */
export type NewPlant = Input<'createPlant'>['body']

/** A value that is not null, as a database driver returns it. */
type Value = string | number | bigint | boolean

/**
 * A function for each property of the contract's `Plant`. It converts the value of the column with the same name. A
 * property that only one of `Plant` and `NewPlant` has cannot be stored.
 */
type Columns = {
  [Property in Exclude<keyof (Plant & NewPlant), 'id'>]-?: Property extends keyof Plant & keyof NewPlant
    ? (value: Value) => NonNullable<Plant[Property]>
    : never
}

/**
 * The columns of a plant besides its caller and id, in the order of its JSON. Both databases have them; their schema.ts
 * creates them. An absent property is NULL.
 */
const columns: Columns = {
  name: String,
  tag: String,
}

// Object.keys does not type the names.
export const plantProperties = Object.keys(columns) as (keyof Columns)[]

/** The names of the columns, quoted for SQL. */
export const plantColumns: readonly string[] = plantProperties.map((property) => `"${property}"`)

/** A request body or a row, which may have more properties. */
export type PlantValues = { readonly [Property in keyof Plant]: Value | null }

/** Makes a plant of a request body or of a row. */
export function plantOf(values: PlantValues): Plant {
  const plant: Partial<Record<keyof Plant, Plant[keyof Plant]>> = {}
  for (const property of plantProperties) {
    const value = values[property]
    if (value !== undefined && value !== null) plant[property] = columns[property](value)
  }
  // The contract requires what a body has, and the schema what a row has.
  return plant as Plant
}

/** Encodes a plant as the contract's `Plant`. The bytes are those of JSON.stringify, with a bigint as its digits. */
export function encodePlant(values: PlantValues): string {
  return stringifyJson(plantOf(values))
}

/** The values of the columns, which both drivers accept. */
export function valuesOfPlant(values: PlantValues): (string | number | bigint | null)[] {
  return plantProperties.map((property) => {
    const value = values[property] ?? null
    // SQLite has no boolean, and PostgreSQL takes 1 and 0.
    return typeof value === 'boolean' ? Number(value) : value
  })
}
