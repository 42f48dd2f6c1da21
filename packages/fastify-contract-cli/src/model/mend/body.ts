import type { Mending, ServedOperation } from './mending.ts'
import { origin, originOf } from '../yaml/node.ts'

/** Removes a body that is not read, and requires that of a QUERY. */
export function mendBody(operation: ServedOperation, mending: Mending): void {
  const { object, method } = operation
  if (method === 'query') requireBody(operation, mending)
  else if ((method === 'get' || method === 'head') && 'requestBody' in object) {
    mending.remove(
      object,
      'requestBody',
      `requestBody: ${method.toUpperCase()} has no body in HTTP, and it is not read; use parameters, or another method`,
    )
  }
}

/** A server refuses a QUERY without a media type (RFC 10008, section 2). */
function requireBody({ object, route }: ServedOperation, { resolve, warn }: Mending): void {
  const body = resolve(object['requestBody'])
  const at = { object, key: 'requestBody' }
  if (object['requestBody'] === undefined) {
    object['requestBody'] = { [origin]: originOf(object), required: true, content: { '*/*': {} } }
    const text = `${route}: QUERY always has content in HTTP, and it may be of any type; describe it in requestBody`
    warn({ object }, text, 'undescribed content of QUERY')
  } else if (body !== undefined && body['required'] !== true) {
    object['requestBody'] = { ...body, required: true }
    warn(at, `${route}: QUERY always has content in HTTP, and it is required; add required: true`, 'content of QUERY')
  }
}
