import { isObject } from '../json/json.ts'
import { METHODS } from '../node-http.ts'

/** Those of OpenAPI 3.1. */
export const earlierFields = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const

/** The operations that are fields of a path item (OpenAPI 3.2, section 4.9.1). */
export const methodFields = [...earlierFields, 'query'] as const

/** Whether a method asks for what is there (RFC 9110, section 9.3; RFC 10008). */
export function isReading(method: string): boolean {
  return ['get', 'head', 'query'].includes(method)
}

/** A place for an operation in a path item. */
export interface OperationPlace {
  /** In lower case. */
  method: string
  /** The path item, or its `additionalOperations`. */
  holder: Record<string, unknown>
  key: string
  /** The operation. */
  object: Record<string, unknown>
}

/** Lists the operations of a path item: those that are fields, then `additionalOperations`. What is no object is none. */
export function operationPlaces(item: Record<string, unknown>): OperationPlace[] {
  const { additionalOperations: others } = item
  const holders = [
    { holder: item, keys: methodFields },
    ...(isObject(others) ? [{ holder: others, keys: Object.keys(others) }] : []),
  ]
  return holders.flatMap(({ holder, keys }) =>
    keys.flatMap((key) => {
      const object = holder[key]
      return isObject(object) ? [{ method: key.toLowerCase(), holder, key, object }] : []
    }),
  )
}

/** `CONNECT` asks a proxy for a tunnel, and has no path (RFC 9110, section 9.3.6). */
const further = METHODS.filter((name) => !isField(name) && name !== 'CONNECT')

/** Why a name cannot be one of `additionalOperations`; undefined if it can. */
export function methodProblem(name: string): string | undefined {
  if (further.includes(name)) return undefined
  if (isField(name)) return `${name} has a field of its own; use ${name.toLowerCase()}`
  const upper = name.toUpperCase()
  const remedy = further.includes(upper) ? upper : `one of ${further.join(', ')}`
  return `${name} is not a method that Node reads from a connection; use ${remedy}`
}

function isField(name: string): boolean {
  return methodFields.some((field) => field.toUpperCase() === name)
}
