import type { ContractDocument, Parameter } from '../../packages/fastify-contract/src/document/document.ts'
import type { Schema } from '../../packages/fastify-contract/src/schema/schema-parts.ts'

export const thing: Schema = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } }
export const ok = { 200: { description: 'Done.', content: { 'application/json': { schema: thing } } } }
export const id: Parameter = { name: 'id', in: 'path', required: true, schema: { type: 'integer', format: 'int64' } }
export const getThing = { operationId: 'getThing', parameters: [id], responses: ok }

/** A contract of one operation, `GET /things/{id}`, changed in the parts that a test is about. */
export function contractOf(operation: object = {}, document: object = {}): ContractDocument {
  return {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1.0.0' },
    security: [{ bearer: [] }],
    paths: { '/things/{id}': { get: { ...getThing, ...operation } } },
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    ...document,
  }
}

export function withParameter(parameter: object): ContractDocument {
  return contractOf({ parameters: [id, parameter] })
}

export function withBody(schema: object, media: object = {}): ContractDocument {
  return contractOf({ requestBody: { content: { 'application/json': { schema, ...media } } } })
}

export function withComponents(components: object, operation: object = {}): ContractDocument {
  return contractOf(operation, {
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } }, ...components },
  })
}
