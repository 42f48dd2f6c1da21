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
  sources: {"../openapi.yaml":"5a7e0e383bdb4e027b7f9c3e26cfd153d46217da9d857a8d7bc420b3c53f3023"},
  document: `{
 "openapi": "3.2.0",
 "info": {"title": "Messages", "version": "1.0.0"},
 "security": [],
 "paths": {
  "/messages": {
   "get": {
    "operationId": "listMessages",
    "responses": {
     "200": {
      "description": "Every message, one a line.",
      "content": {"application/jsonl": {"itemSchema": {"$ref": "#/components/schemas/Message"}}}
     }
    }
   },
   "post": {
    "operationId": "sendMessage",
    "requestBody": {
     "required": true,
     "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Message"}}}
    },
    "responses": {"204": {"description": "The message was sent to everyone who listens."}}
   }
  },
  "/messages/events": {
   "get": {
    "operationId": "watchMessages",
    "responses": {
     "200": {
      "description": "The messages as they are sent.",
      "content": {
       "text/event-stream": {
        "itemSchema": {
         "type": "object",
         "required": ["event", "id", "data"],
         "properties": {
          "event": {"const": "message"},
          "id": {"type": "string"},
          "data": {
           "type": "string",
           "contentMediaType": "application/json",
           "contentSchema": {"$ref": "#/components/schemas/Message"}
          }
         }
        }
       }
      }
     }
    }
   }
  }
 },
 "components": {
  "schemas": {
   "Message": {
    "type": "object",
    "required": ["id", "text"],
    "properties": {"id": {"type": "integer", "format": "int64"}, "text": {"type": "string", "maxLength": 100}}
   }
  }
 }
}
`,
  changes: `{
 "openapi": ["3.1.0"],
 "paths": {
  "/messages/events": {
   "get": {
    "responses": {
     "200": {
      "content": {
       "text/event-stream": {
        "itemSchema": {
         "properties": {
          "data": {"type": [], "contentMediaType": [], "contentSchema": [], "$ref": ["#/components/schemas/Message"]}
         }
        },
        "x-event-data": ["json"]
       }
      }
     }
    }
   }
  }
 }
}
`,
  sha256: "91ea219552dbfa4f49a82f723e88c02e6fcc1de2c4fd70c44f5a5c1cadd4be6d",
}
