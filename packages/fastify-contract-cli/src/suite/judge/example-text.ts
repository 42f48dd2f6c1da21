import type { MediaType } from 'fastify-contract/document'
import type { Subschema } from 'fastify-contract/schema'
import { type SchemaSource, flatten } from '../draw/flat-schema.ts'
import { canonical } from '../ground/exact-json.ts'
import { isList, isObject } from '../ground/members.ts'

/** The text of a body in which it equals the examples that it may have. */
export function exampleText(body: unknown, { schema = {}, itemSchema }: MediaType, source: SchemaSource): string {
  return canonical(withoutReadOnly(body, itemSchema === undefined ? schema : { items: itemSchema }, source))
}

/**
 * A value of a response without its `readOnly` properties, at every depth. The server sets them, such as the time of a
 * creation, so that a response need not have those of an example.
 */
function withoutReadOnly(value: unknown, schema: Subschema, source: SchemaSource): unknown {
  if (!isList(value) && !isObject(value)) return value
  const flat = flatten(schema, source)
  const forms = [flat, ...flat.choices.flat().map((each) => flatten(each, source))]
  if (isList(value)) {
    const items = forms.map(({ assertions }) => assertions.items).find((each) => each !== undefined) ?? true
    return value.map((item) => withoutReadOnly(item, items, source))
  }
  const propertyOf = (name: string) =>
    forms.find(({ properties }) => Object.hasOwn(properties, name))?.properties[name] ?? true
  const members = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    const property = propertyOf(name)
    return flatten(property, source).isReadOnly ? [] : [[name, withoutReadOnly(member, property, source)]]
  })
  return Object.fromEntries(members)
}
