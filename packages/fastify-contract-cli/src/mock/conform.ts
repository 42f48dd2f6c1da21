import type { Schema } from 'fastify-contract/schema'
import type { FlatSchema } from '../suite/flat-schema.ts'
import type { Sampler } from './sample.ts'

export type Members = Record<string, unknown>

/**
 * Turns a value that a client sent into one of the schema of a response: without undeclared properties, and with those
 * that are required.
 *
 * @throws NoValue when no valid value is known
 */
export function conform(value: unknown, schema: Schema, sampler: Sampler): unknown {
  for (const isStrict of [false, true]) {
    const completed = complete(value, schema, sampler, isStrict)
    if (sampler.isValid(completed, schema)) return completed
  }
  return sampler.valueOf(schema)
}

/** @param isStrict whether each property is checked, and replaced where it is not valid */
function complete(value: unknown, schema: Schema, sampler: Sampler, isStrict: boolean): unknown {
  const flat = sampler.flat(schema)
  const { anyOf, oneOf, items } = flat.assertions
  if (Array.isArray(value)) {
    return items === undefined ? value : value.map((item) => complete(item, items, sampler, isStrict))
  }
  if (!isObject(value)) return value
  const parts = (anyOf ?? oneOf)?.map((part) => complete(value, withPart(flat, part), sampler, isStrict))
  if (parts !== undefined) return parts.find((part) => sampler.isValid(part, schema)) ?? value
  const { properties, required, assertions } = flat
  if (Object.keys(properties).length === 0 && required.length === 0) return value
  const names = new Set([...Object.keys(properties), ...required])
  if (assertions.additionalProperties !== undefined && assertions.additionalProperties !== false) {
    for (const name of Object.keys(value)) names.add(name)
  }
  const members = [...names].flatMap((name): [string, unknown][] => {
    const property: Schema | boolean = Object.hasOwn(properties, name) ? properties[name]! : {}
    if (sampler.isHidden(property)) return []
    const member = Object.hasOwn(value, name) ? complete(value[name], property, sampler, isStrict) : undefined
    const isKept = member !== undefined && (!isStrict || sampler.isValid(member, property))
    if (isKept) return [[name, member]]
    return required.includes(name) ? [[name, sampler.valueOf(property)]] : []
  })
  return Object.fromEntries(members)
}

/** A schema with one of its alternatives. */
function withPart({ assertions, properties, required }: FlatSchema, part: Schema): Schema {
  const { anyOf: _any, oneOf: _one, ...others } = assertions
  return { allOf: [{ ...others, properties, required }, part] }
}

/** Whether a value is an object of JSON: forms have files, too. */
export function isObject(value: unknown): value is Members {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** The members of an object; none of another value. */
export function membersOf(value: unknown): Members {
  return isObject(value) ? value : {}
}
