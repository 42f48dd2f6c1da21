import { framingOf, kindOf, parseMediaType } from 'fastify-contract/document'
import { isObject } from 'fastify-contract/json'
import { accessProblem } from '../rules/access.ts'
import { besideProblem } from '../table/examples.ts'
import type { Mending } from './mending.ts'
import type { ContractObject } from './visit.ts'
import { membersOf } from '../yaml/node.ts'

const sequential = 'text/event-stream, application/jsonl, application/x-ndjson or application/json-seq'

/** Rejects `itemSchema` where no items can be sent. */
export function rejectOtherItems({ object: { content } }: ContractObject, { resolve, reject }: Mending): void {
  for (const [type, written] of Object.entries(membersOf(content))) {
    const media = resolve(written)
    if (media?.['itemSchema'] === undefined) continue
    const at = { object: media, key: 'itemSchema' }
    if (framingOf(type) === undefined)
      reject(at, `itemSchema: ${type} is no sequence of items; use ${sequential}, or schema`)
    else if ('schema' in media) reject(at, 'itemSchema: stands beside schema; remove one of them')
  }
}

/** Puts the media type of a reference in its place. One that leads elsewhere is refused later. */
export function includeMediaType({ object }: ContractObject, { resolve }: Mending): void {
  const { $ref: reference } = object
  if (typeof reference !== 'string' || /^#\/components\/(?!mediaTypes\/)/.test(reference)) return
  const target = resolve(object)
  if (target === undefined) return
  Reflect.deleteProperty(object, '$ref')
  Object.assign(object, target)
}

/** Removes content of a type that no message can name, and parameters of types that are malformed. */
export function mendMediaTypes({ object: { content } }: ContractObject, { remove, reject }: Mending): void {
  if (!isObject(content)) return
  for (const [type, media] of Object.entries(content)) {
    if (parseMediaType(type) !== undefined && type === type.trim()) continue
    const access = accessProblem(type, [])
    if (access !== undefined) {
      reject({ object: content, key: type }, `content: ${type} is not a media type, and ${access}`)
      continue
    }
    const [essence = ''] = type.split(/[;,]/, 1)
    const readType = parseMediaType(essence.trim())?.essence
    const problem =
      readType === undefined ? 'and is ignored; use one such as application/json' : `and is read as ${readType}`
    if (readType !== undefined) content[readType] ??= media
    remove(content, type, `content: ${type} is not a media type, ${problem}`, 'media type')
  }
}

/** Removes the encoding of a body that is no form. */
export function removeEncoding({ object, name }: ContractObject, { remove }: Mending): void {
  if (!('encoding' in object) || ['form', 'multipart'].includes(kindOf(name))) return
  remove(object, 'encoding', 'encoding: applies only to forms; remove it')
}

/** Removes a keyword that documents, where one of others says the same. */
export function removeBeside(name: string, ...others: string[]) {
  return ({ object }: ContractObject, { remove }: Mending): void => {
    const other = name in object ? others.find((each) => each in object) : undefined
    if (other !== undefined) remove(object, name, `${name}: ${besideProblem(other)}`)
  }
}

/** `dataValue` of OpenAPI 3.2 is what `value` is in any other version. */
export function readAsValue({ object }: ContractObject): void {
  if (!('dataValue' in object) || 'value' in object) return
  object['value'] = object['dataValue']
  Reflect.deleteProperty(object, 'dataValue')
}
