import { methodFields } from 'fastify-contract/document'
import { type Keywords, each, ignored, shown, warn } from '../rules/keyword.ts'
import { besideQuerystring } from './parameter.ts'
import { securityRule } from './security-scheme.ts'

export const pathItem: Keywords = {
  // Those of `paths` are included where they are referred to.
  $ref: { is: 'text' },
  ...shown('summary description'),
  ...each(methodFields.join(' '), { holds: 'operation' }),
  ...ignored('trace', 'TRACE would expose the credentials of the request; remove it'),
  // Their names are checked where they are served.
  additionalOperations: { holds: { each: 'operation' } },
  parameters: { holds: ['parameter'], rule: (value) => warn(besideQuerystring(value)) },
  // Of OpenAPI 3.3. Its operations have it by now; what is left is not a list.
  security: { rule: securityRule },
  // Its operations inherit them.
  servers: { holds: ['server'] },
}
