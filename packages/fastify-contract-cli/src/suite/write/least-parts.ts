import type { ContractOperation } from 'fastify-contract/document'
import type { SchemaSource } from '../draw/flat-schema.ts'
import type { Json } from '../draw/json-value.ts'
import { isList, isObject } from '../ground/members.ts'
import { bodyParts, parameterPart } from './part.ts'
import { isNeeded } from './part-values.ts'
import { type RequestParts, withValue } from './request-parts.ts'

/** How many values are tried without one of their members, which is slow. */
const maxTries = 200

/** Leaves out of a request what the contract does not require. */
export function leastParts(operation: ContractOperation, parts: RequestParts, source: SchemaSource): RequestParts {
  const optional = operation.parameters.map(parameterPart).filter((part) => !isNeeded(part, source))
  const needed = optional.reduce((whole, part) => withValue(whole, part, undefined), parts)
  if (operation.object.requestBody?.required !== true) return { ...needed, body: undefined }
  const body = bodyParts(operation).find(({ type }) => type === parts.type)
  if (body === undefined || (body.as !== 'json' && body.as !== 'form')) return needed
  const tries = { left: maxTries }
  const isRight = (value: Json) => tries.left-- > 0 && source.problemsOf(value, body.schema).length === 0
  return { ...needed, body: least(parts.body, isRight) }
}

/** A value without the members and items that it need not have. */
function least(value: Json, isRight: (value: Json) => boolean): Json {
  if (isList(value)) {
    return value.reduceRight<readonly Json[]>((whole, item, index) => {
      const others = whole.toSpliced(index, 1)
      return isRight(others)
        ? others
        : whole.with(
            index,
            least(item, (each) => isRight(whole.with(index, each))),
          )
    }, value)
  }
  if (!isObject(value)) return value
  return Object.keys(value).reduce<Record<string, Json>>((whole, name) => {
    const { [name]: member, ...others } = whole
    if (isRight(others)) return others
    return { ...whole, [name]: least(member, (each) => isRight({ ...whole, [name]: each })) }
  }, value)
}
