import type { Subschema } from 'fastify-contract/schema'
import { type SchemaSource, flatten, isHidden, merged } from '../suite/draw/flat-schema.ts'
import { type Members, isObject } from '../suite/ground/members.ts'
import { plainValue } from '../suite/draw/plain-value.ts'
import { membersIn } from '../suite/draw/thing-shape.ts'
import { ids, plainName } from '../suite/ground/resources.ts'

/** Whether a value can be a reply of a schema. */
export function isReply(value: unknown, schema: Subschema, source: SchemaSource): boolean {
  return source.problemsOf(value, schema, 'closed').length === 0
}

/** A name of a thing as a schema has it: a path may have an integer where a body has its text. */
export function nameIn(schema: Subschema, name: unknown, source: SchemaSource): unknown {
  const text = String(name)
  const forms = /^-?\d+$/.test(text) ? [name, text, BigInt(text)] : [name, text]
  return forms.find((each) => isReply(each, schema, source))
}

/** A value whose outer objects, and those of its lists, say what the path of its request says. */
export function withParameters(value: unknown, schema: Subschema, path: Members, source: SchemaSource): unknown {
  if (Array.isArray(value)) {
    const { items = {} } = flatten(schema, source).assertions
    return value.map((item) => withParameters(item, items, path, source))
  }
  if (!isObject(value)) return value
  const members = new Map(Object.entries(membersIn(schema, source)))
  const lists = Object.entries(value).filter(([, member]) => Array.isArray(member))
  const items = lists.map(
    ([name, list]) => [name, withParameters(list, members.get(name) ?? {}, path, source)] as const,
  )
  return { ...value, ...Object.fromEntries(items), ...parametersIn(schema, path, source) }
}

/** The members of a schema that have the names of a path's parameters, with their values. */
export function parametersIn(schema: Subschema, path: Members, source: SchemaSource): Members {
  // Each kind of thing has an `id` of its own.
  const given = Object.entries(path).filter(([name]) => ![...ids, 'name'].includes(name))
  const said = Object.entries(membersIn(schema, source)).map(([name, member]): [string, unknown] => {
    const [, parameter] = given.find(([each]) => plainName(each) === plainName(name)) ?? []
    return [name, parameter === undefined ? undefined : nameIn(member, parameter, source)]
  })
  return Object.fromEntries(said.filter(([, value]) => value !== undefined))
}

/**
 * Turns a value that a client sent into one of the schema of a response: without undeclared properties, and with those
 * that are required.
 *
 * @throws NoGenerator when no valid value is known
 */
export function conform(value: unknown, schema: Subschema, source: SchemaSource): unknown {
  for (const isStrict of [false, true]) {
    const completed = complete(value, schema, source, isStrict)
    if (isReply(completed, schema, source)) return completed
  }
  return plainValue(schema, source)
}

/** @param isStrict whether each property is checked, and replaced where it is not valid */
function complete(
  value: unknown,
  schema: Subschema,
  source: SchemaSource,
  isStrict: boolean,
  flat = flatten(schema, source),
): unknown {
  const { items, additionalProperties } = flat.assertions
  const [alternatives, ...choices] = flat.choices
  if (Array.isArray(value)) {
    return items === undefined ? value : value.map((item) => complete(item, items, source, isStrict))
  }
  if (!isObject(value)) return value
  if (alternatives !== undefined) {
    const wholes = alternatives.map((part) => merged({ ...flat, choices }, flatten(part, source)))
    const completed = wholes.map((whole) => complete(value, schema, source, isStrict, whole))
    const valid = completed.filter((each) => isReply(each, schema, source))
    return valid.toSorted((a, b) => sharedIn(value, b) - sharedIn(value, a))[0] ?? value
  }
  const { properties, required } = flat
  if (Object.keys(properties).length === 0 && required.length === 0) return value
  const isOpen = additionalProperties !== undefined && additionalProperties !== false
  const names = new Set([...Object.keys(properties), ...required, ...(isOpen ? Object.keys(value) : [])])
  const members = [...names].flatMap((name): [string, unknown][] => {
    const property = Object.hasOwn(properties, name) ? properties[name]! : {}
    if (isHidden(flat, property)) return []
    const member = Object.hasOwn(value, name) ? complete(value[name], property, source, isStrict) : undefined
    if (member !== undefined && (!isStrict || isReply(member, property, source))) return [[name, member]]
    return required.includes(name) ? [[name, plainValue(property, source)]] : []
  })
  return Object.fromEntries(members)
}

/** How much of a value another one has. */
function sharedIn(value: unknown, other: unknown): number {
  if (!isObject(value) || !isObject(other)) return Number(value === other)
  return Object.entries(value).reduce(
    (sum, [name, member]) => (Object.hasOwn(other, name) ? sum + 1 + sharedIn(member, other[name]) : sum),
    0,
  )
}
