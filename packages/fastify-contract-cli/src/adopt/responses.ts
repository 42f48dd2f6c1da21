import { parseMediaType } from 'fastify-contract/document'
import { isSchema } from 'fastify-contract/schema'
import { objectsOf } from '../keywords/objects.ts'
import { isFieldName } from '../keywords/openapi-keywords.ts'
import type { Adopted } from './adopt.ts'
import type { AdoptedOperation } from './operations.ts'
import { resolvedIn } from '../keywords/follow.ts'

type Members = Record<string, unknown>

/** Gives the responses of an operation statuses that a reply can have, and removes content that HTTP forbids. */
export function mendResponses({ object, method, path }: AdoptedOperation, contract: Adopted): void {
  const { document, places, warn, reject } = contract
  const responses = object['responses'] ?? {}
  if (!isSchema(responses)) return
  const route = `${method.toUpperCase()} ${path}`
  for (const [written, response] of Object.entries(responses)) {
    const at = { object: responses, key: written }
    const status = /^[1-5]xx$/i.test(written) ? written.toUpperCase() : written
    if (status !== written) {
      Reflect.deleteProperty(responses, written)
      responses[status] ??= response
      warn(at, `${route}: ${written} is not a status; use ${status}`, 'status')
    }
    // An extension.
    if (status.startsWith('x-')) Reflect.deleteProperty(responses, status)
    else if (/^1(?:\d\d|XX)$/.test(status)) {
      Reflect.deleteProperty(responses, status)
      warn(at, `${route}: ${status} precedes the response, and no handler returns it; remove it`, '1XX')
    } else if (!/^(?:[2-5](?:\d\d|XX)|default)$/.test(status))
      reject(at, `${route}: ${status} is not a status; use 200 to 599, a range such as 4XX, or default`)
    const resolved = resolvedIn(document, response)
    if (!/^(?:204|205|304)$/.test(status) || resolved?.['content'] === undefined) continue
    const { content, ...rest } = resolved
    responses[status] = places.share(rest, resolved)
    // An empty one says the same.
    if (!isSchema(content) || Object.keys(content).length > 0)
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

/** Removes the headers of responses that a handler cannot set. */
export function mendHeaders({ document, warn }: Adopted): void {
  for (const { object, kind } of objectsOf(document)) if (kind === 'response') removeHeaders(object, warn)
}

function removeHeaders({ headers }: Members, warn: Adopted['warn']): void {
  if (!isSchema(headers)) return
  const met = new Set<string>()
  for (const name of Object.keys(headers)) {
    const key = name.toLowerCase()
    const problem = met.has(key)
      ? 'differs from another header only by case, and is ignored; remove one'
      : framing.test(name)
        ? 'is set by the server, and is ignored; remove it'
        : isFieldName(name)
          ? undefined
          : 'is not a header name, and is ignored; use letters, digits and -'
    met.add(key)
    if (problem === undefined) continue
    Reflect.deleteProperty(headers, name)
    warn({ object: headers, key: name }, `the header ${name} ${problem}`, `header ${problem}`)
  }
}

/** Removes content of a type that no message can name, and parameters of types that are malformed. */
export function mendMediaTypes({ document, warn }: Adopted): void {
  for (const { object, kind } of objectsOf(document)) {
    const { content } = object
    if ((kind !== 'requestBody' && kind !== 'response') || !isSchema(content)) continue
    for (const [type, media] of Object.entries(content)) {
      if (parseMediaType(type) !== undefined && type === type.trim()) continue
      const [essence = ''] = type.split(/[;,]/, 1)
      const known = parseMediaType(essence)?.essence
      const problem =
        known === undefined ? 'and is ignored; use one such as application/json' : `and is read as ${known}`
      Reflect.deleteProperty(content, type)
      if (known !== undefined) content[known] ??= media
      warn({ object: content, key: type }, `content: ${type} is not a media type, ${problem}`, 'media type')
    }
  }
}
