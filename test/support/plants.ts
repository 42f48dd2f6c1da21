import { type NewPlant, type Plant, type StoredPlant, plantOf } from '../../src/plants/plant.ts'

// A new property that every plant must have gets its value for all tests here.

/** What a client must send besides the id. */
const sent: Omit<NewPlant, 'id'> = { name: 'Monstera' }

/** What the server sets. */
const set: Omit<StoredPlant, keyof NewPlant> = {}

/** The body of a request that creates a plant. */
export function newPlant(given: Partial<NewPlant> & Pick<NewPlant, 'id'>): NewPlant {
  return { ...sent, ...given }
}

/** A plant for a store. */
export function storedPlant(given: Partial<StoredPlant> & Pick<StoredPlant, 'id'>): StoredPlant {
  return { ...sent, ...set, ...given }
}

/** A plant as responses show it, in the order of its JSON. What the server sets is as in `storedPlant`. */
export function shownPlant(given: Partial<Plant> = {}): Plant {
  return plantOf({ ...sent, ...set, ...given })
}

/** Reads a response with a plant, or with a list of plants. What the server has set becomes as in `shownPlant`. */
export function readPlants(text: string): unknown {
  return JSON.parse(text, (_name, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const known = Object.entries(set).filter(([name]) => name in value)
    return { ...value, ...Object.fromEntries(known) }
  })
}
