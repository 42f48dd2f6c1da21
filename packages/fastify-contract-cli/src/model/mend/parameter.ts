import { nameOfParameter } from '../table/parameter.ts'
import type { Mending } from './mending.ts'
import type { ContractObject } from './visit.ts'

export function requireInPath({ object }: ContractObject, { warn }: Mending): void {
  if (object['in'] !== 'path' || object['required'] === true) return
  object['required'] = true
  const text = `${nameOfParameter(object)} is part of the path, and is required; add required: true`
  warn({ object, key: 'name' }, text, 'path parameter required')
}

export function addSchema({ object }: ContractObject, { warn }: Mending): void {
  if ('$ref' in object || 'schema' in object || 'content' in object || object['in'] === 'querystring') return
  object['schema'] = { type: 'string' }
  const text = `${nameOfParameter(object)} has no schema, and is read as a string; add one`
  warn({ object, key: 'name' }, text, 'parameter schema')
}

export function warnOfNone({ object, name }: ContractObject, { warn }: Mending): void {
  if (!['$ref', 'schema', 'content'].some((key) => key in object))
    warn({ object }, `the header ${name} has no schema, and is any text; add one`, 'header without schema')
}
