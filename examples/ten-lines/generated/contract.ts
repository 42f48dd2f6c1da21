// Generated from openapi.yaml by fastify-contract. Do not edit.

import type * as library from 'fastify-contract'
import type { components, operations, schemes, security } from './openapi.ts'

/** The types of the contract. */
export interface Types {
  operations: operations
  schemes: schemes
  security: security
}
export type OperationId = keyof operations
/** The named schemas in responses. */
export type Schemas = library.Schemas<components>
/** What the handler of an operation receives. */
export type Input<Id extends OperationId> = library.Input<operations[Id]>
/** What it returns. */
export type Reply<Id extends OperationId> = library.Reply<operations[Id]>
/** What it receives besides. */
export type Context<Id extends OperationId, Services = unknown, Results = library.Found<Auth>> = library.Context<
  Services,
  security[Id],
  Results
>
/** A handler for each operation. `Services` are those of `serve`; `Results` is `Found<typeof auth>`. */
export type Handlers<Services = unknown, Results = library.Found<Auth>> = library.Handlers<Types, Services, Results>
/** A verifier for each security scheme. */
export type Auth = library.Auth<schemes>

export const contract: library.Contract<Types> = {
  folder: import.meta.dirname,
  sources: {"../openapi.yaml":"1f94c5c54958ce017e7a89123d289f34b8ba06bbdeb6aebbe3d1f2543cff56fb"},
  document: `{
 "openapi": "3.1.0",
 "info": {"title": "Greetings", "version": "1.0.0"},
 "security": [],
 "paths": {
  "/greetings/{name}": {
   "get": {
    "operationId": "greet",
    "summary": "Greets somebody",
    "parameters": [{"name": "name", "in": "path", "required": true, "schema": {"type": "string", "maxLength": 5}}],
    "responses": {
     "200": {
      "description": "A greeting.",
      "content": {
       "application/json": {
        "schema": {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}
       }
      }
     },
     "default": {
      "description": "A failure, as in RFC 9457.",
      "content": {
       "application/problem+json": {
        "schema": {
         "type": "object",
         "required": ["title", "status", "detail"],
         "properties": {"title": {"type": "string"}, "status": {"type": "integer"}, "detail": {"type": "string"}}
        }
       }
      }
     }
    }
   }
  }
 }
}
`,
  sha256: "85b1dd33ff5c7e1ee8a886c4a62b5cfc65a76b798763ce892c7fe84b4763a10f",
}
