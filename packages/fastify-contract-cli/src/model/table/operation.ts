import { externalDocs } from './external-docs.ts'
import { type Keywords, type Mending, quoted, shown } from './keyword.ts'
import { besideQuerystring, mendParameters } from './parameters.ts'
import { nameSchemes, securityProblem } from './security-scheme.ts'
import { type ServedOperation, mendServed } from './served-operation.ts'
import { mendOwnServers } from './servers.ts'
import { mendStatuses } from './statuses.ts'

export const operation: Keywords = {
  security: { mends: nameSchemes, rejects: securityProblem },
  operationId: { is: 'text' },
  parameters: {
    holds: ['parameter'],
    mends: mendServed(mendParameters),
    // In one that is served, it is refused.
    warns: (value, _operation, { role }) => (role === 'served' ? undefined : besideQuerystring(value)),
  },
  requestBody: { holds: 'requestBody', mends: mendServed(mendBody) },
  responses: { holds: { each: 'response' }, mends: mendServed(mendStatuses) },
  tags: { isShown: true, warns: unquotedTag },
  ...shown('summary description deprecated'),
  externalDocs,
  ...shown('callbacks', { each: 'callback' }),
  servers: { holds: ['server'], mends: mendOwnServers },
}

function unquotedTag(tags: unknown): string | undefined {
  const tag: unknown = Array.isArray(tags) ? tags.find((each) => typeof each !== 'string') : undefined
  return tag === undefined ? undefined : `${JSON.stringify(tag)} is not text; ${quoted(tag)}`
}

function mendBody(operation: ServedOperation, mending: Mending): void {
  const { object, method } = operation
  if (method === 'query') requireBody(operation, mending)
  else if ((method === 'get' || method === 'head') && 'requestBody' in object) {
    Reflect.deleteProperty(object, 'requestBody')
    mending.warn(
      { object, key: 'requestBody' },
      `requestBody: ${method.toUpperCase()} has no body in HTTP, and it is not read; use parameters, or another method`,
    )
  }
}

/** A server refuses a QUERY without a media type (RFC 10008, section 2). */
function requireBody({ object, route }: ServedOperation, { places, resolve, warn }: Mending): void {
  const body = resolve(object['requestBody'])
  const at = { object, key: 'requestBody' }
  if (object['requestBody'] === undefined) {
    object['requestBody'] = places.share({ required: true, content: { '*/*': {} } }, object)
    const text = `${route}: QUERY always has content in HTTP, and it may be of any type; describe it in requestBody`
    warn({ object }, text, 'undescribed content of QUERY')
  } else if (body !== undefined && body['required'] !== true) {
    object['requestBody'] = places.share({ ...body, required: true }, body)
    warn(at, `${route}: QUERY always has content in HTTP, and it is required; add required: true`, 'content of QUERY')
  }
}
