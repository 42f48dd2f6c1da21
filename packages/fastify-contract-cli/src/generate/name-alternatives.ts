import { type ContractDocument, maps } from 'fastify-contract/document'
import { isObject } from 'fastify-contract/json'
import type { ChoiceName, NamedSchemas, Schema, Subschema } from 'fastify-contract/schema'
import {
  choiceNames,
  constantsOf,
  isData,
  isSchema,
  propertiesOf,
  requiredBy,
  schemaNameOf,
  typesOf,
} from 'fastify-contract/schema'

/** The values of properties that tell schemas apart, by the name of the schema and that of the property. */
type Names = Map<string, Map<string, Set<string>>>

/**
 * Gives the named alternatives of each `discriminator` the constants by which it selects them, as openapi-typescript does,
 * so that a client can tell them apart. What a schema declares by itself stays, if it does not allow them.
 *
 * @param use for values, only properties that a schema declares have constants, and those of a schema that others are made
 *   of have its own, else those of the mapping, and theirs
 * @returns a copy where something changes
 */
export function nameAlternatives(document: ContractDocument, use: 'types' | 'values' = 'types'): ContractDocument {
  const schemas = document.components?.schemas ?? {}
  const named = [...namesIn(document, schemas, use)].flatMap(([name, properties]) => {
    const { [name]: written } = schemas
    if (!isSchema(written)) return []
    const declared = propertiesOf(written, schemas)
    const told = [...properties].filter(([property]) => use === 'types' || declared.has(property))
    const changed = told.reduce(
      (schema, [property, values]) => withConstants(schema, property, [...values], schemas),
      written,
    )
    return changed === written ? [] : [[name, changed] as const]
  })
  if (named.length === 0) return document
  const all: NamedSchemas = { ...schemas, ...Object.fromEntries(named) }
  return { ...document, components: { ...document.components, schemas: all } }
}

function namesIn(document: ContractDocument, schemas: NamedSchemas, use: 'types' | 'values'): Names {
  const names: Names = new Map()
  const add = (name: string, property: string, values: Iterable<string>) => {
    const own = names.get(name) ?? new Map<string, Set<string>>()
    names.set(name, own.set(property, new Set([...(own.get(property) ?? []), ...values])))
  }
  const children = Map.groupBy(
    Object.entries(schemas).flatMap(([child, schema]) =>
      refersTo(schema, 'allOf').map((parent) => ({ parent, child })),
    ),
    ({ parent }) => parent,
  )
  /** Names the schemas that are made of one with a discriminator, each with those that are made of it. */
  function addChildren(
    parent: string,
    property: string,
    valuesOf: (name: string) => string[],
    open: string[],
  ): string[] {
    return (children.get(parent) ?? []).flatMap(({ child }) => {
      if (open.includes(child)) return []
      const values = [...valuesOf(child), ...addChildren(child, property, valuesOf, [...open, child])]
      add(child, property, values)
      return values
    })
  }
  /** @param isMap whether the names of its members are no keywords */
  function visit(node: unknown, { name, isMap = false }: { name?: string; isMap?: boolean } = {}): void {
    if (Array.isArray(node)) for (const each of node) visit(each)
    if (!isObject(node)) return
    const { discriminator } = node
    if (isObject(discriminator) && typeof discriminator['propertyName'] === 'string') {
      const { propertyName: property, mapping } = discriminator
      const entries = Object.entries(isObject(mapping) ? mapping : {})
      const valuesOf = (schema: string): string[] => {
        const mapped = entries.filter(([, target]) => target === schema || schemaNameOf(target) === schema)
        return mapped.length === 0 ? [schema] : mapped.map(([value]) => value)
      }
      const alternatives = choiceNames.flatMap((keyword) => refersTo(node, keyword))
      for (const each of alternatives) add(each, property, valuesOf(each))
      if (name !== undefined && alternatives.length === 0) {
        const others = addChildren(name, property, valuesOf, [name])
        const [own, mapped] = [valuesOf(name), entries.map(([value]) => value)]
        const isMade = mapped.length === 0 || own.some((value) => mapped.includes(value))
        if (use === 'values') add(name, property, [...(isMade ? own : mapped), ...others])
      }
    }
    for (const [key, member] of Object.entries(node))
      if (isMap || !isData(key)) visit(member, { isMap: !isMap && maps.includes(key) })
  }
  for (const [name, schema] of Object.entries(schemas)) visit(schema, { name })
  visit({ ...document, components: { ...document.components, schemas: {} } })
  return names
}

/** The named schemas in a list of a schema. */
function refersTo(schema: Subschema, keyword: 'allOf' | ChoiceName): string[] {
  const { [keyword]: members = [] } = isSchema(schema) ? schema : {}
  return members.filter(isSchema).flatMap(({ $ref }) => schemaNameOf($ref) ?? [])
}

/** Limits a property to those of the constants that a schema allows; the same schema if it allows no other, or none. */
function withConstants(schema: Schema, property: string, values: string[], schemas: NamedSchemas): Schema {
  // Alternatives that contain others are told apart by these.
  if (choiceNames.some((keyword) => keyword in schema)) return schema
  const declared = propertiesOf(schema, schemas).get(property)
  const lists = constantsOf(declared, schemas)
  const allowed = values.filter((value) => lists.every((list) => list.includes(value)))
  const isNarrower = lists.every((list) => list.some((each) => !allowed.some((value) => value === each)))
  if (allowed.length === 0 || !isNarrower || !typesOf(declared ?? true, schemas).has('string')) return schema
  const { allOf, properties = {} } = schema
  const constants: Schema = { ...described(properties[property]), type: 'string', enum: allowed }
  if (allOf !== undefined && !Object.hasOwn(properties, property)) {
    const part: Schema = { type: 'object', required: [property], properties: { [property]: constants } }
    return { ...schema, allOf: [...allOf, part] }
  }
  const required = [...new Set([...requiredBy(schema), property])]
  return { ...schema, required, properties: { ...properties, [property]: constants } }
}

function described(schema: Subschema | undefined): Schema {
  return isSchema(schema) && 'description' in schema ? { description: schema.description } : {}
}
