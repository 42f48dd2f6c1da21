import { stringifyJson } from 'fastify-contract/json'
import { externalDocs } from './external-docs.ts'
import { type Keywords, quoted, shown } from './keyword.ts'
import { besideQuerystring } from './parameter.ts'
import { securityProblem } from './security-scheme.ts'

export const operation: Keywords = {
  security: { rejects: securityProblem },
  operationId: { is: 'text' },
  parameters: {
    holds: ['parameter'],
    // In one that is served, it is refused.
    warns: (value, _operation, { role }) => (role === 'served' ? undefined : besideQuerystring(value)),
  },
  requestBody: { holds: 'requestBody' },
  responses: { holds: { each: 'response' } },
  tags: { isShown: true, warns: unquotedTag },
  ...shown('summary description deprecated'),
  externalDocs,
  ...shown('callbacks', { each: 'callback' }),
  servers: { holds: ['server'] },
}

function unquotedTag(tags: unknown): string | undefined {
  const tag: unknown = Array.isArray(tags) ? tags.find((each) => typeof each !== 'string') : undefined
  return tag === undefined ? undefined : `${stringifyJson(tag)} is not text; ${quoted(tag)}`
}
