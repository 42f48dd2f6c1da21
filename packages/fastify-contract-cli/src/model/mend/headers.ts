import { isObject } from 'fastify-contract/json'
import { isFieldName } from '../table/field-name.ts'
import type { Mending } from './mending.ts'
import type { ContractObject } from './visit.ts'

/** The headers of message framing, which the server sets (RFC 9110, section 7.6.1; RFC 9112). */
const framing = /^(?:connection|content-(?:length|type)|date|keep-alive|te|trailer|transfer-encoding|upgrade)$/i

/** Removes the headers that a handler cannot set. */
export function removeHeaders({ object: { headers } }: ContractObject, { remove }: Mending): void {
  if (!isObject(headers)) return
  const visited = new Set<string>()
  for (const name of Object.keys(headers)) {
    const key = name.toLowerCase()
    const problem = visited.has(key)
      ? 'differs from another header only by case, and is ignored; remove one'
      : framing.test(name)
        ? 'is set by the server, and is ignored; remove it'
        : isFieldName(name)
          ? undefined
          : 'is not a header name, and is ignored; use letters, digits and -'
    visited.add(key)
    if (problem !== undefined) remove(headers, name, `the header ${name} ${problem}`, `header ${problem}`)
  }
}
