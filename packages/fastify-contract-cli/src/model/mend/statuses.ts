import { isContentless } from 'fastify-contract/document'
import { isObject } from 'fastify-contract/json'
import type { Mending, ServedOperation } from './mending.ts'

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
