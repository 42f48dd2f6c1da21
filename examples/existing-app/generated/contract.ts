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
  sources: {"../openapi.yaml":"848f776cd761e669e05bef14acb669b570177ce5d889c937f16b259f0845ad17"},
  document: `{
 "openapi": "3.1.0",
 "info": {"title": "Pets", "version": "1.0.0"},
 "security": [{"session": []}],
 "tags": [{"name": "pets", "description": "The pets of a household."}],
 "paths": {
  "/pets": {
   "get": {
    "operationId": "listPets",
    "summary": "List the pets",
    "tags": ["pets"],
    "responses": {
     "200": {
      "description": "The pets.",
      "content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}}}}
     },
     "default": {"$ref": "#/components/responses/Failure"}
    }
   }
  },
  "/pets/{petId}": {
   "parameters": [{"name": "petId", "in": "path", "required": true, "schema": {"type": "integer", "format": "int64"}}],
   "get": {
    "operationId": "getPet",
    "summary": "Read a pet",
    "tags": ["pets"],
    "responses": {
     "200": {
      "description": "The pet.",
      "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}
     },
     "404": {"$ref": "#/components/responses/Failure"},
     "default": {"$ref": "#/components/responses/Failure"}
    }
   },
   "delete": {
    "operationId": "deletePet",
    "summary": "Delete a pet",
    "tags": ["pets"],
    "responses": {"204": {"description": "The pet is gone."}, "default": {"$ref": "#/components/responses/Failure"}}
   }
  },
  "/pets/{petId}/photo": {
   "parameters": [{"name": "petId", "in": "path", "required": true, "schema": {"type": "integer", "format": "int64"}}],
   "put": {
    "operationId": "putPhoto",
    "summary": "Replace the photo of a pet",
    "tags": ["pets"],
    "requestBody": {
     "required": true,
     "content": {
      "multipart/form-data": {
       "schema": {
        "type": "object",
        "required": ["photo"],
        "properties": {"photo": {"type": "string", "format": "binary"}}
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "The size of the photo, in bytes.",
      "content": {
       "application/json": {
        "schema": {"type": "object", "required": ["bytes"], "properties": {"bytes": {"type": "integer"}}}
       }
      }
     },
     "default": {"$ref": "#/components/responses/Failure"}
    }
   }
  }
 },
 "components": {
  "securitySchemes": {"session": {"type": "apiKey", "in": "cookie", "name": "session"}},
  "responses": {
   "Failure": {
    "description": "A failure.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Failure"}}}
   }
  },
  "schemas": {
   "Pet": {
    "type": "object",
    "required": ["id", "name"],
    "properties": {"id": {"type": "integer", "format": "int64"}, "name": {"type": "string"}}
   },
   "Failure": {
    "type": "object",
    "required": ["statusCode", "message"],
    "properties": {"statusCode": {"type": "integer"}, "message": {"type": "string"}}
   }
  }
 }
}
`,
  changes: `{
 "paths": {
  "/pets/{petId}": {
   "parameters": [],
   "get": {"parameters": "#/paths/~1pets~1{petId}/parameters"},
   "delete": {"parameters": "#/paths/~1pets~1{petId}/parameters"}
  },
  "/pets/{petId}/photo": {"parameters": [], "put": {"parameters": "#/paths/~1pets~1{petId}/parameters"}}
 }
}
`,
  sha256: "d84b165176b5cb615f3f50ea79735ae356a57d11181e3342479a3f63c669d737",
}
