import type { ContractDocument } from 'fastify-contract/document'
import { isOfBigInts, stringifyJson } from 'fastify-contract/json'
import { type Subschema, isSchema } from 'fastify-contract/schema'
import { propertyName } from '../init/typescript.ts'

/**
 * Writes the values that `x-enum-varnames` names, by the named schema and, inside an object, its property. Empty if there
 * are none.
 */
export function writeNamedValues({ components }: ContractDocument): string {
  const members = Object.entries(components?.schemas ?? {}).flatMap(([name, schema]) => {
    const { properties = {} } = isSchema(schema) ? schema : {}
    const inside = Object.entries(properties).flatMap(([property, each]) => memberOf(property, valuesOf(each)))
    return memberOf(name, [...valuesOf(schema), ...inside])
  })
  if (members.length === 0) return ''
  return `\n/** The values that x-enum-varnames names. */\nexport const named = {\n${members.join('\n')}\n} as const\n`
}

function memberOf(name: string, inside: readonly string[]): string[] {
  return inside.length === 0 ? [] : [`${propertyName(name)}: {\n${inside.join('\n')}\n},`]
}

/** `NAME: VALUE,` for each value of an enum with names. */
function valuesOf(schema: Subschema): string[] {
  if (!isSchema(schema)) return []
  const { enum: values = [], 'x-enum-varnames': names, format } = schema
  if (!Array.isArray(names)) return []
  return values.slice(0, names.length).map((value, index) => {
    const digits = isOfBigInts(format) && value !== null ? 'n' : ''
    return `${propertyName(String(names[index]))}: ${stringifyJson(value)}${digits},`
  })
}
