import { createAjv } from '../../../../src/schema/ajv.ts'

/** The formats that are validated, each with the types whose values it applies to. */
export const formats: ReadonlyMap<string, readonly string[]> = new Map([
  ...Object.keys(createAjv('json').formats).map((name): [string, string[]] => [name, ['string']]),
  ['int32', ['integer']],
  ['int64', ['integer']],
  ['float', ['number']],
  ['double', ['number']],
])
