import { stringifyJson } from 'fastify-contract/json'
import { externalDocs } from './external-docs.ts'
import { type Keywords, quoted, shown, warn } from '../rules/keyword.ts'
import { besideQuerystring } from './parameter.ts'
import { securityRule } from './security-scheme.ts'

export const operation: Keywords = {
  security: { rule: securityRule },
  operationId: { is: 'text' },
  parameters: {
    holds: ['parameter'],
    // In one that is served, it is refused.
    rule: (value, _operation, { role }) => (role === 'served' ? undefined : warn(besideQuerystring(value))),
  },
  requestBody: { holds: 'requestBody' },
  responses: { holds: { each: 'response' } },
  tags: { isShown: true, rule: (tags) => warn(unquotedTag(tags)) },
  ...shown('summary description deprecated'),
  externalDocs,
  ...shown('callbacks', { each: 'callback' }),
  servers: { holds: ['server'] },
}

function unquotedTag(tags: unknown): string | undefined {
  const tag: unknown = Array.isArray(tags) ? tags.find((each) => typeof each !== 'string') : undefined
  return tag === undefined ? undefined : `${stringifyJson(tag)} is not text; ${quoted(tag)}`
}
