import { stringifyJson } from 'fastify-contract/json'
import { isOfType } from 'fastify-contract/schema'
import type { Mending } from './mending.ts'
import type { ContractObject } from './visit.ts'
import { sourceOf } from '../yaml/node.ts'
import { asSchema } from '../rules/as-schema.ts'

/** Removes the constants that are not of the type beside them, because they are never valid. */
export function removeMisfits(key: 'enum' | 'const') {
  return ({ object }: ContractObject, { warn }: Mending): void => {
    const { [key]: written, type, nullable } = object
    if (!(key in object) || (key === 'enum' && !Array.isArray(written))) return
    const values: unknown[] = key === 'enum' ? [written].flat() : [written]
    if (values.length === 0) {
      const text = 'enum: is empty, so that nothing is valid; name its values, or remove it'
      warn({ object, key }, text, 'empty enum')
    }
    const types = [type].flat().join(' or ')
    const isFit = (value: unknown) =>
      isOfType(asSchema(object), value) || (value === null && String(nullable) === 'true')
    const misfits = values.flatMap((value, index) => (isFit(value) ? [] : [{ value, index }]))
    if (types === '' || misfits.length === 0) return
    for (const name of parallel) {
      const { [name]: list } = object
      if (Array.isArray(list)) object[name] = list.filter((_, index) => isFit(values[index]))
    }
    if (key === 'const') Reflect.deleteProperty(object, key)
    object['enum'] = values.filter(isFit)
    const [is, it] = misfits.length > 1 ? ['are', 'them'] : ['is', 'it']
    const then = misfits.length === values.length ? 'so that nothing is valid' : `and ${is} ignored`
    const remedy = misfits.every(({ value }) => value === null)
      ? 'allow null in the type, or remove it'
      : types.includes('string') && misfits.every(({ value }) => typeof value !== 'object' || value === null)
        ? `put ${it} in quotes`
        : `correct ${it}`
    // As it is written: YAML reads 1.10 as 1.1.
    const texts = misfits.slice(0, maxListed).map(({ value, index }) => {
      const source = Array.isArray(written) ? sourceOf(written, index) : sourceOf(object, key)
      return (isScalar(value) ? source : undefined) ?? stringifyJson(value)
    })
    const listed = [...texts, ...(misfits.length > maxListed ? ['…'] : [])].join(', ')
    const text = `${key}: ${listed} ${is} not of the type ${types}, ${then}; ${remedy}`
    warn({ object, key }, text, `misfits of ${key}`, { object, key: 'type' })
  }
}

/** Lists beside `enum` with an entry for each of its values. */
const parallel = ['x-enum-varnames', 'x-enum-descriptions']

/** The values of a message. */
const maxListed = 5

function isScalar(value: unknown): boolean {
  return /^(?:number|bigint|boolean)$/.test(typeof value)
}
