import type { FuncKeywordDefinition, SchemaValidateFunction } from 'ajv'

/**
 * The keyword `uniqueItems` in linear time: Ajv's own compares each item with each other. Equal are values that JSON
 * Schema takes for equal, whatever the order of their names and the spelling of their numbers (JSON Schema 2020-12,
 * core, section 4.2.2).
 *
 * @see https://ajv.js.org/keywords.html
 */
export const uniqueItemsKeyword: FuncKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  compile(mustBeUnique: boolean) {
    const validate: SchemaValidateFunction = (items: unknown[]) => {
      const places = new Map<string, number>()
      for (const [place, item] of items.entries()) {
        const text = canonicalText(item)
        const first = places.get(text)
        if (first !== undefined) {
          const message = `must NOT have duplicate items (items ## ${String(first)} and ${String(place)} are identical)`
          validate.errors = [{ keyword: 'uniqueItems', message, params: {} }]
          return false
        }
        places.set(text, place)
      }
      return true
    }
    return mustBeUnique ? validate : () => true
  },
}

/** Equal values have the same text. */
function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => {
    if (typeof member === 'bigint') return JSON.rawJSON(String(member))
    // A number of this size and a bigint may be the same integer.
    if (Number.isInteger(member)) return JSON.rawJSON(String(BigInt(member as number)))
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
    return Object.fromEntries(Object.entries(member).sort(([name], [other]) => (name < other ? -1 : 1)))
  })
}
