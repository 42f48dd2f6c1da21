import { isObject } from 'fastify-contract/json'
import { choiceNames } from 'fastify-contract/schema'
import type { References } from '../yaml/follow.ts'
import type { Mending } from './mending.ts'
import type { ContractObject } from './visit.ts'
import type { Draft } from '../yaml/node.ts'

/** Removes null from the schema of a parameter or a header, which is text. */
export function removeNull({ object }: ContractObject, { references }: Mending): void {
  if ('schema' in object) object['schema'] = textWithoutNull(object['schema'], references)
}

/**
 * A schema and that of its items without null: a copy, because a reference may lead to a schema of other values too.
 * Whether `nullable` was upgraded in them makes no difference.
 */
function textWithoutNull(schema: unknown, references: References): unknown {
  const { chain } = references.follow(schema)
  const target = chain.at(-1)
  if (target === undefined) return schema
  const { items } = target
  const itemSchema = items === undefined ? items : textWithoutNull(items, references)
  if (!chain.some(isNullable) && itemSchema === items) return schema
  return { ...withoutNull(target), ...(items === undefined ? {} : { items: itemSchema }) }
}

function isNullable({ type, anyOf, oneOf, nullable }: Draft): boolean {
  const isListed = Array.isArray(type) && type.length > 1 && type.includes('null')
  return isListed || String(nullable) === 'true' || [anyOf, oneOf].flat().some(isNull)
}

function isNull(schema: unknown): boolean {
  return isObject(schema) && schema['type'] === 'null'
}

function withoutNull(schema: Draft): Draft {
  const { type, enum: values, nullable: _, ...others } = schema
  const copy: Draft = others
  if (Array.isArray(type)) {
    const types: unknown[] = type.filter((each) => each !== 'null')
    copy['type'] = types.length === 1 ? types[0] : types
  } else if (type !== undefined) copy['type'] = type
  if (values !== undefined) copy['enum'] = Array.isArray(values) ? values.filter((value) => value !== null) : values
  for (const name of choiceNames) {
    const alternatives = schema[name]
    if (Array.isArray(alternatives)) copy[name] = alternatives.filter((each) => !isNull(each))
  }
  return copy
}
