import { isContentless } from 'fastify-contract/document'
import { isObject } from 'fastify-contract/json'
import { isFieldName } from '../rules/field-name.ts'
import type { Mending, ServedOperation } from './mending.ts'
import type { ContractObject } from './visit.ts'

/** Gives the responses of an operation statuses that a reply can have, and removes content that HTTP forbids. */
export function mendStatuses({ object, route }: ServedOperation, mending: Mending): void {
  const { resolve, warn, remove, reject } = mending
  const responses = object['responses'] ?? {}
  if (!isObject(responses)) return
  for (const [written, response] of Object.entries(responses)) {
    const at = { object: responses, key: written }
    const status = /^[1-5]xx$/i.test(written) ? written.toUpperCase() : written
    if (status !== written) {
      responses[status] ??= response
      remove(responses, written, `${route}: ${written} is read as ${status}; write ${status}`, 'status')
    }
    // An extension.
    if (status.startsWith('x-')) Reflect.deleteProperty(responses, status)
    else if (/^1(?:\d\d|XX)$/.test(status))
      remove(
        responses,
        status,
        `${route}: ${status} precedes the response, and no handler returns it; remove it`,
        '1XX',
      )
    else if (!/^(?:[2-5](?:\d\d|XX)|default)$/.test(status))
      reject(at, `${route}: ${status} is not a status; use 200 to 599, a range such as 4XX, or default`)
    const resolved = resolve(response)
    if (!isContentless(Number(status)) || resolved?.['content'] === undefined) continue
    const { content, ...rest } = resolved
    responses[status] = rest
    // An empty one says the same.
    if (!isObject(content) || Object.keys(content).length > 0)
      warn(at, `${route}: ${status} has no content in HTTP; remove the content, or use another status`, 'contentless')
  }
  if (Object.keys(responses).length > 0) return
  object['responses'] = { default: { description: '' } }
  warn(
    { object, key: 'responses' },
    `${route}: declares no response, and may have any status without a body; add one`,
    'responses',
  )
}

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
