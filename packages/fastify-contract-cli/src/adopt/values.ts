import { isSchema } from 'fastify-contract/schema'
import { objectsOf } from '../keywords/objects.ts'
import type { Adopted } from './adopt.ts'
import { resolvedIn } from '../keywords/follow.ts'

type Members = Record<string, unknown>

/** Removes null from the schemas of parameters and headers, which are text. */
export function removeNulls(contract: Adopted): void {
  for (const { object, kind } of objectsOf(contract.document)) {
    if ((kind === 'parameter' || kind === 'header') && 'schema' in object)
      object['schema'] = ofText(object['schema'], contract)
  }
}

/** A header without a schema is any text. */
export function completeHeaders({ document }: Adopted): void {
  for (const { object, kind } of objectsOf(document)) {
    if (kind === 'header' && !('$ref' in object)) object['schema'] ??= { type: 'string' }
  }
}

const limits = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'enum', 'const']

/** Reads integers that may be beyond 2^53 as int64: as numbers they would be rounded. */
export function widenIntegers({ document, warn }: Adopted): void {
  for (const { object, kind } of objectsOf(document)) {
    if (kind !== 'schema' || ![object['type']].flat().includes('integer')) continue
    if (/^int(?:32|64)$/.test(String(object['format']))) continue
    const key = limits.find((name) => [object[name]].flat().some(isUnsafe))
    if (key === undefined) continue
    object['format'] = 'int64'
    warn(
      { object, key },
      `${key}: goes beyond ±9007199254740991, and the integer is read as int64; add format: int64`,
      'int64',
    )
  }
}

function isUnsafe(value: unknown): boolean {
  return typeof value === 'bigint' || (Number.isInteger(value) && !Number.isSafeInteger(value))
}

/** A schema and that of its items without null: a copy, because a reference may lead to a schema of other values too. */
function ofText(schema: unknown, contract: Adopted): unknown {
  const target = resolvedIn(contract.document, schema)
  if (target === undefined) return schema
  const { items } = target
  const ofItems = items === undefined ? items : ofText(items, contract)
  if (!isNullable(target) && ofItems === items) return schema
  return contract.places.share({ ...withoutNull(target), ...(items === undefined ? {} : { items: ofItems }) }, target)
}

function isNullable({ type, anyOf, oneOf }: Members): boolean {
  const isListed = Array.isArray(type) && type.length > 1 && type.includes('null')
  return isListed || [anyOf, oneOf].flat().some(isNull)
}

function isNull(schema: unknown): boolean {
  return isSchema(schema) && schema['type'] === 'null'
}

function withoutNull(schema: Members): Members {
  const { type, enum: values } = schema
  const copy = { ...schema }
  if (Array.isArray(type)) {
    const types: unknown[] = type.filter((each) => each !== 'null')
    copy['type'] = types.length === 1 ? types[0] : types
  }
  if (Array.isArray(values)) copy['enum'] = values.filter((value) => value !== null)
  for (const name of ['anyOf', 'oneOf']) {
    const alternatives = schema[name]
    if (Array.isArray(alternatives)) copy[name] = alternatives.filter((each) => !isNull(each))
  }
  return copy
}
