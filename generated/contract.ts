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
  sources: {"../openapi.yaml":"ae086220d3bff9fee7403bc998113c0c906696eaac2b93078c7d727ea58635ff"},
  document: `{
 "openapi": "3.1.0",
 "info": {
  "title": "Plant Store",
  "version": "1.0.1",
  "summary": "A small service that keeps a collection of plants.",
  "description": "Lists, creates and deletes your plants. Every operation needs a bearer token, which the operator of the service\\nissues: choose **Authorize** and enter the token alone.\\n\\n\`\`\`\\ncurl -H 'Authorization: Bearer TOKEN' http://127.0.0.1:3000/plants\\n\`\`\`\\n\\nEvery response has \`X-Content-Type-Options: nosniff\` and, except the files of this page, \`Cache-Control: no-store\`.\\n",
  "license": {"name": "MIT", "identifier": "MIT"},
  "contact": {"name": "The Plant Store maintainers"}
 },
 "servers": [{"url": "/", "description": "The server that serves this contract"}],
 "security": [{"bearer": []}],
 "tags": [{"name": "plants", "description": "Your own plants. Nobody else sees them."}],
 "paths": {
  "/plants": {
   "get": {
    "operationId": "listPlants",
    "summary": "List the caller's plants",
    "description": "Returns the caller's plants in ascending order of \`id\`, over the whole signed 64-bit range. The plants in\\nthe list do not contain their \`id\`.\\n\\nAn unknown query parameter is rejected, so that a mistyped \`limt\` does not silently return every plant. \`HEAD\`\\nreturns what \`GET\` returns, without the body.\\n",
    "tags": ["plants"],
    "parameters": [
     {
      "name": "limit",
      "in": "query",
      "description": "The maximum number of plants to return. \`0\` returns an empty list; without \`limit\`, all plants of the\\ncaller are returned. Must not be repeated.\\n\\nAfter percent-decoding it is \`0\`, or digits without a leading zero. These are rejected: \`007\`, \`+1\`, \`-0\`,\\n\`1.0\`, \`1e3\`, \`0x1\`, and \`1\` after a space.\\n",
      "required": false,
      "schema": {"type": "integer", "format": "int32", "minimum": 0, "maximum": 2147483647},
      "examples": {
       "some": {"summary": "At most twenty plants", "value": 20},
       "all": {"summary": "The largest limit", "value": 2147483647},
       "first": {"summary": "At most two plants", "value": 2},
       "none": {"summary": "No plant at all", "value": 0}
      }
     }
    ],
    "responses": {
     "200": {
      "description": "The caller's plants, in ascending order of \`id\`.",
      "headers": {
       "X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"},
       "RateLimit-Policy": {"$ref": "#/components/headers/RateLimit-Policy"},
       "RateLimit": {"$ref": "#/components/headers/RateLimit"}
      },
      "content": {
       "application/json": {
        "schema": {"type": "array", "items": {"$ref": "#/components/schemas/Plant"}},
        "examples": {
         "some": {
          "summary": "All three plants, which are fewer than twenty",
          "value": [
           {"name": "Monstera deliciosa", "tag": "indoor"},
           {"name": "Aloe vera"},
           {"name": "Wollemia nobilis"}
          ]
         },
         "all": {
          "summary": "Every plant of the caller",
          "value": [
           {"name": "Monstera deliciosa", "tag": "indoor"},
           {"name": "Aloe vera"},
           {"name": "Wollemia nobilis"}
          ]
         },
         "first": {
          "summary": "The two plants with the lowest ids, one without a tag",
          "value": [{"name": "Monstera deliciosa", "tag": "indoor"}, {"name": "Aloe vera"}]
         },
         "none": {"summary": "No plant", "value": []}
        }
       }
      }
     },
     "400": {"$ref": "#/components/responses/BadRequest"},
     "401": {"$ref": "#/components/responses/Unauthorized"},
     "408": {"$ref": "#/components/responses/RequestTimeout"},
     "429": {"$ref": "#/components/responses/TooManyRequests"},
     "431": {"$ref": "#/components/responses/RequestHeaderFieldsTooLarge"},
     "500": {"$ref": "#/components/responses/InternalServerError"},
     "503": {"$ref": "#/components/responses/ServiceUnavailable"}
    }
   },
   "post": {
    "operationId": "createPlant",
    "summary": "Create a plant",
    "description": "Stores a new plant under the \`id\` that the client supplies. When the response is 200, the plant is on disk.\\n\\nIf the caller already has a plant with this \`id\`, the request fails with 40900 and nothing changes. A request\\nwhose response was lost can therefore be repeated: 40900 then means that a plant with this \`id\` is stored.\\n",
    "tags": ["plants"],
    "requestBody": {
     "description": "The plant to create.\\n\\n- Unknown properties are ignored: neither stored nor returned.\\n- A byte order mark before the JSON text is ignored.\\n- A lone surrogate anywhere in the body is rejected with 40001. JSON can write one as an escape, but UTF-8\\n  cannot encode it.\\n- Objects and arrays nested more than 100 levels deep are rejected with 40001.\\n",
     "required": true,
     "content": {
      "application/json": {
       "schema": {"$ref": "#/components/schemas/NewPlant"},
       "examples": {
        "tagged": {"summary": "A plant with a tag", "value": {"id": 54, "name": "Monstera deliciosa", "tag": "indoor"}},
        "untagged": {"summary": "A plant without a tag", "value": {"id": 55, "name": "Aloe vera"}},
        "beyondDouble": {
         "summary": "An id that a double cannot hold",
         "value": {"id": 9007199254740993, "name": "Wollemia nobilis"}
        }
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "The stored plant, without its \`id\`.",
      "headers": {
       "X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"},
       "RateLimit-Policy": {"$ref": "#/components/headers/RateLimit-Policy"},
       "RateLimit": {"$ref": "#/components/headers/RateLimit"}
      },
      "content": {
       "application/json": {
        "schema": {"$ref": "#/components/schemas/Plant"},
        "examples": {
         "tagged": {"summary": "A plant with a tag", "value": {"name": "Monstera deliciosa", "tag": "indoor"}},
         "untagged": {"summary": "A plant without a tag", "value": {"name": "Aloe vera"}},
         "beyondDouble": {"summary": "The plant whose id a double cannot hold", "value": {"name": "Wollemia nobilis"}}
        }
       }
      },
      "links": {
       "delete": {
        "description": "Deletes the created plant by its \`id\`.",
        "operationId": "deletePlant",
        "parameters": {"id": "$request.body#/id"}
       }
      }
     },
     "400": {"$ref": "#/components/responses/BadRequest"},
     "401": {"$ref": "#/components/responses/Unauthorized"},
     "408": {"$ref": "#/components/responses/RequestTimeout"},
     "409": {"$ref": "#/components/responses/Conflict"},
     "413": {"$ref": "#/components/responses/ContentTooLarge"},
     "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
     "429": {"$ref": "#/components/responses/TooManyRequests"},
     "431": {"$ref": "#/components/responses/RequestHeaderFieldsTooLarge"},
     "500": {"$ref": "#/components/responses/InternalServerError"},
     "503": {"$ref": "#/components/responses/ServiceUnavailable"}
    }
   }
  },
  "/plants/{id}": {
   "delete": {
    "operationId": "deletePlant",
    "summary": "Delete a plant",
    "description": "Deletes the caller's plant with this \`id\`. When the response is 204, the deletion is on disk. A body sent with\\nthe request is ignored.\\n",
    "tags": ["plants"],
    "parameters": [
     {
      "name": "id",
      "in": "path",
      "description": "The \`id\` of the plant to delete, a signed 64-bit integer: -9223372036854775808 to 9223372036854775807.\\n\\nAfter percent-decoding it is \`0\`, or an optional \`-\` and digits without a leading zero. These are rejected:\\n\`007\`, \`+1\`, \`-0\`, \`1.0\`, \`1e3\`, \`0x1\`, and \`1\` after a space.\\n",
      "required": true,
      "schema": {"type": "integer", "format": "int64"},
      "examples": {
       "small": {"summary": "The plant with id 54", "value": 54},
       "beyondDouble": {"summary": "An id that a double cannot hold", "value": 9007199254740993},
       "lowest": {"summary": "The lowest id", "value": -9223372036854775808}
      }
     }
    ],
    "responses": {
     "204": {
      "description": "The plant is deleted.",
      "headers": {
       "X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"},
       "RateLimit-Policy": {"$ref": "#/components/headers/RateLimit-Policy"},
       "RateLimit": {"$ref": "#/components/headers/RateLimit"}
      }
     },
     "400": {"$ref": "#/components/responses/BadRequest"},
     "401": {"$ref": "#/components/responses/Unauthorized"},
     "404": {"$ref": "#/components/responses/NotFound"},
     "408": {"$ref": "#/components/responses/RequestTimeout"},
     "429": {"$ref": "#/components/responses/TooManyRequests"},
     "431": {"$ref": "#/components/responses/RequestHeaderFieldsTooLarge"},
     "500": {"$ref": "#/components/responses/InternalServerError"},
     "503": {"$ref": "#/components/responses/ServiceUnavailable"}
    }
   }
  }
 },
 "x-unmatched-responses": {
  "400": {
   "description": "The bytes are not a valid HTTP/1.x request, or the path or query cannot be decoded.",
   "headers": {"X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}},
   "content": {
    "application/json": {
     "schema": {"$ref": "#/components/schemas/Error"},
     "example": {"error": 40002, "message": "the percent-encoding of the path or query is invalid or not UTF-8"}
    }
   }
  },
  "404": {
   "description": "The path does not exist.",
   "headers": {"X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}},
   "content": {
    "application/json": {
     "schema": {"$ref": "#/components/schemas/Error"},
     "example": {"error": 40400, "message": "the path does not exist; see /docs"}
    }
   }
  },
  "405": {
   "description": "The path does not support the method.",
   "headers": {
    "X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"},
    "Allow": {
     "description": "The methods that the path supports.",
     "required": true,
     "schema": {"type": "string"},
     "example": "GET, HEAD, POST"
    }
   },
   "content": {
    "application/json": {
     "schema": {"$ref": "#/components/schemas/Error"},
     "example": {"error": 40500, "message": "PUT is not allowed on this path; allowed: GET, HEAD, POST"}
    }
   }
  },
  "408": {
   "description": "The request did not arrive in time.",
   "headers": {"X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}},
   "content": {
    "application/json": {
     "schema": {"$ref": "#/components/schemas/Error"},
     "example": {"error": 40800, "message": "the request did not arrive in time"}
    }
   }
  },
  "431": {
   "description": "The request line and headers exceed the server's limit.",
   "headers": {"X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}},
   "content": {
    "application/json": {
     "schema": {"$ref": "#/components/schemas/Error"},
     "example": {"error": 43100, "message": "the request line and headers are larger than 16384 bytes"}
    }
   }
  }
 },
 "components": {
  "securitySchemes": {
   "bearer": {
    "type": "http",
    "scheme": "bearer",
    "description": "\`Authorization: Bearer TOKEN\` (RFC 6750). The scheme name is case-insensitive. A token anywhere else\\nis not accepted. The service's operator issues and revokes tokens.\\n\\nA token belongs to one *caller*. A caller lists, creates and deletes its own plants and no others. An \`id\` is\\nunique among the plants of one caller, not in the whole store.\\n"
   }
  },
  "schemas": {
   "Plant": {
    "description": "A plant as the service returns it.",
    "type": "object",
    "required": ["name"],
    "properties": {
     "name": {
      "description": "The name of the plant: 1 to 255 Unicode code points, any text except U+0000 and lone surrogates.\\nReturned exactly as sent.\\n",
      "type": "string",
      "minLength": 1,
      "maxLength": 255,
      "pattern": "^[^\\\\x00]*$",
      "examples": ["Monstera deliciosa"]
     },
     "tag": {
      "description": "The type of the plant, under the same rules as \`name\`. If omitted, it is absent from responses too;\\n\`null\` is rejected.\\n",
      "type": "string",
      "minLength": 1,
      "maxLength": 255,
      "pattern": "^[^\\\\x00]*$",
      "examples": ["indoor"]
     }
    }
   },
   "NewPlant": {
    "description": "A plant to create, which is a \`Plant\` with an \`id\`.",
    "allOf": [
     {"$ref": "#/components/schemas/Plant"},
     {
      "type": "object",
      "required": ["id"],
      "properties": {
       "id": {
        "description": "The identification number of the plant, chosen by the client: a signed 64-bit integer from\\n-9223372036854775808 to 9223372036854775807, unique among the caller's plants.\\n\\nIt is never rounded: 9007199254740992, 9007199254740993 and 9007199254740994 are three plants. An\\ninteger-valued number such as \`54.0\` is the integer 54. These are rejected: fractions, strings, values\\noutside the range, and forms with a point or an exponent beyond 2^53.\\n",
        "type": "integer",
        "format": "int64",
        "examples": [54, 9007199254740993]
       }
      }
     }
    ]
   },
   "Error": {
    "description": "The body of every failure: the number \`error\` is for programs, the text \`message\` for people.\\n\\nA request is checked in this order: path and method, credentials, rate limit, media type and size of the body,\\nJSON, the rules of this contract, the state of the store.\\n",
    "type": "object",
    "required": ["error", "message"],
    "properties": {
     "error": {
      "description": "The kind of failure, as a number that never changes its meaning. Its first three digits are the HTTP\\nstatus.\\n\\nClients must expect further numbers. They treat one that they do not know by its first three digits, and a\\nstatus that they do not know as the x00 of its class, such as 400 (RFC 9110, section 15).\\n",
      "type": "integer",
      "format": "int32",
      "enum": [
       40000,
       40001,
       40002,
       40100,
       40101,
       40400,
       40401,
       40500,
       40800,
       40900,
       41300,
       41500,
       42900,
       43100,
       50000,
       50300
      ],
      "x-enum-varnames": [
       "malformed_body",
       "invalid_request",
       "malformed_http",
       "credentials_missing",
       "token_invalid",
       "path_not_found",
       "plant_not_found",
       "method_not_allowed",
       "request_timeout",
       "plant_exists",
       "body_too_large",
       "unsupported_media_type",
       "rate_limited",
       "headers_too_large",
       "internal",
       "unavailable"
      ],
      "x-enum-descriptions": [
       "The body is empty, not UTF-8, not exactly one JSON document, or has an object with a duplicate property.",
       "A parameter or a value in the body breaks this contract; the message names the place and the rule.",
       "The bytes are not a valid HTTP/1.x request, or the percent-encoding of the path or query is invalid or not UTF-8.",
       "The Authorization header has no bearer credentials.",
       "The token is unknown, malformed, expired or revoked.",
       "The path does not exist.",
       "The caller has no plant with this id.",
       "The path does not support the method; Allow lists the methods that it supports.",
       "The request did not arrive in time.",
       "The caller already has a plant with this id; nothing changes.",
       "The body exceeds the server's limit (64 KiB unless configured otherwise).",
       "The body is not application/json in UTF-8.",
       "Too many requests by the caller, or too many rejected tokens from the client's address; try again after Retry-After.",
       "The request line and headers exceed the server's limit.",
       "The service failed; quote the X-Request-Id of the response when reporting it.",
       "The store is not available, or the server is overloaded or stopping; try again after Retry-After."
      ]
     },
     "message": {
      "description": "A description of the failure for people. Texts may change; \`error\` does not.",
      "type": "string"
     }
    }
   }
  },
  "headers": {
   "X-Request-Id": {
    "description": "The id of this request in the server's log: the client's own \`X-Request-Id\` if it has 1 to 128 letters,\\ndigits, \`-\`, \`_\` and \`.\`, otherwise a random one.\\n",
    "required": true,
    "schema": {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,128}$"},
    "example": "8f14e45f-ceea-467f-a9c1-6b1f0a6b3f0e"
   },
   "WWW-Authenticate": {
    "description": "The challenge of RFC 6750, section 3. A rejected token adds \`error=\\"invalid_token\\"\`.",
    "required": true,
    "schema": {"type": "string", "pattern": "^Bearer realm=\\"[^\\"]+\\""},
    "example": "Bearer realm=\\"plant-store\\", error=\\"invalid_token\\", error_description=\\"The token is unknown, malformed, expired or revoked\\""
   },
   "Retry-After": {
    "description": "The number of seconds to wait before the next attempt.",
    "required": true,
    "schema": {"type": "integer", "format": "int32", "minimum": 1},
    "example": 1
   },
   "RateLimit-Policy": {
    "description": "The number of requests (\`q\`) that a caller may send in a window of \`w\` seconds. Present if the request counts towards a\\nlimit (draft-ietf-httpapi-ratelimit-headers-11).\\n",
    "required": false,
    "schema": {"type": "string", "pattern": "^\\"caller\\";q=[1-9][0-9]*;w=60$"},
    "example": "\\"caller\\";q=600;w=60"
   },
   "RateLimit": {
    "description": "The number of requests that the caller has left (\`r\`), and the seconds until it resets (\`t\`). Present if the\\nrequest counts towards a limit (draft-ietf-httpapi-ratelimit-headers-11).\\n",
    "required": false,
    "schema": {"type": "string", "pattern": "^\\"caller\\";r=[0-9]+;t=[1-9][0-9]?$"},
    "example": "\\"caller\\";r=599;t=60"
   }
  },
  "responses": {
   "BadRequest": {
    "description": "The request is invalid.",
    "headers": {
     "X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"},
     "RateLimit-Policy": {"$ref": "#/components/headers/RateLimit-Policy"},
     "RateLimit": {"$ref": "#/components/headers/RateLimit"}
    },
    "content": {
     "application/json": {
      "schema": {"$ref": "#/components/schemas/Error"},
      "examples": {
       "invalid": {
        "summary": "A value breaks the contract",
        "value": {
         "error": 40001,
         "message": "query/limit must be an integer from 0 to 2147483647 in plain decimal form"
        }
       },
       "malformed": {
        "summary": "The body is not JSON",
        "value": {"error": 40000, "message": "the body is not one JSON document: the fault is at character 9"}
       }
      }
     }
    }
   },
   "Unauthorized": {
    "description": "The credentials are missing or invalid.",
    "headers": {
     "X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"},
     "WWW-Authenticate": {"$ref": "#/components/headers/WWW-Authenticate"}
    },
    "content": {
     "application/json": {
      "schema": {"$ref": "#/components/schemas/Error"},
      "examples": {
       "missing": {
        "summary": "No credentials",
        "value": {"error": 40100, "message": "credentials are missing; send the header Authorization: Bearer TOKEN"}
       },
       "invalid": {
        "summary": "An invalid token",
        "value": {"error": 40101, "message": "the token is unknown, malformed, expired or revoked"}
       }
      }
     }
    }
   },
   "NotFound": {
    "description": "The caller has no plant with this \`id\`.",
    "headers": {
     "X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"},
     "RateLimit-Policy": {"$ref": "#/components/headers/RateLimit-Policy"},
     "RateLimit": {"$ref": "#/components/headers/RateLimit"}
    },
    "content": {
     "application/json": {
      "schema": {"$ref": "#/components/schemas/Error"},
      "example": {"error": 40401, "message": "you have no plant with id 54"}
     }
    }
   },
   "RequestTimeout": {
    "description": "The request did not arrive in time.",
    "headers": {"X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}},
    "content": {
     "application/json": {
      "schema": {"$ref": "#/components/schemas/Error"},
      "example": {"error": 40800, "message": "the request did not arrive in time"}
     }
    }
   },
   "Conflict": {
    "description": "The caller already has a plant with this \`id\`.",
    "headers": {
     "X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"},
     "RateLimit-Policy": {"$ref": "#/components/headers/RateLimit-Policy"},
     "RateLimit": {"$ref": "#/components/headers/RateLimit"}
    },
    "content": {
     "application/json": {
      "schema": {"$ref": "#/components/schemas/Error"},
      "example": {"error": 40900, "message": "you already have a plant with id 54"}
     }
    }
   },
   "ContentTooLarge": {
    "description": "The body exceeds the server's limit.",
    "headers": {
     "X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"},
     "RateLimit-Policy": {"$ref": "#/components/headers/RateLimit-Policy"},
     "RateLimit": {"$ref": "#/components/headers/RateLimit"}
    },
    "content": {
     "application/json": {
      "schema": {"$ref": "#/components/schemas/Error"},
      "example": {"error": 41300, "message": "the body is larger than 65536 bytes"}
     }
    }
   },
   "UnsupportedMediaType": {
    "description": "The body is not \`application/json\` in UTF-8, or has a content coding. For a coding, the response has\\n\`Accept-Encoding: identity\` (RFC 9110, section 12.5.3).\\n",
    "headers": {
     "X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"},
     "RateLimit-Policy": {"$ref": "#/components/headers/RateLimit-Policy"},
     "RateLimit": {"$ref": "#/components/headers/RateLimit"}
    },
    "content": {
     "application/json": {
      "schema": {"$ref": "#/components/schemas/Error"},
      "example": {"error": 41500, "message": "Content-Type must be application/json, in UTF-8"}
     }
    }
   },
   "TooManyRequests": {
    "description": "Too many requests by the caller, or too many rejected tokens from the client's address. The operator may limit\\nthe requests per minute; without a limit, the headers \`RateLimit-Policy\` and \`RateLimit\` are absent.\\n\\n- **Per caller:** the headers report the limit, the requests left and the seconds until it resets. Requests\\n  beyond the limit are rejected.\\n- **Per address:** after the same number of rejected tokens in a minute, every request from that address is\\n  rejected until the minute is over, whatever its credentials.\\n",
    "headers": {
     "X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"},
     "RateLimit-Policy": {"$ref": "#/components/headers/RateLimit-Policy"},
     "RateLimit": {"$ref": "#/components/headers/RateLimit"},
     "Retry-After": {"$ref": "#/components/headers/Retry-After"}
    },
    "content": {
     "application/json": {
      "schema": {"$ref": "#/components/schemas/Error"},
      "example": {"error": 42900, "message": "more than 600 requests a minute; try again in 12 s"}
     }
    }
   },
   "RequestHeaderFieldsTooLarge": {
    "description": "The request line and headers exceed the server's limit.",
    "headers": {"X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}},
    "content": {
     "application/json": {
      "schema": {"$ref": "#/components/schemas/Error"},
      "example": {"error": 43100, "message": "the request line and headers are larger than 16384 bytes"}
     }
    }
   },
   "InternalServerError": {
    "description": "The service failed.",
    "headers": {
     "X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"},
     "RateLimit-Policy": {"$ref": "#/components/headers/RateLimit-Policy"},
     "RateLimit": {"$ref": "#/components/headers/RateLimit"}
    },
    "content": {
     "application/json": {
      "schema": {"$ref": "#/components/schemas/Error"},
      "example": {
       "error": 50000,
       "message": "the service failed; quote the X-Request-Id of this response when reporting it"
      }
     }
    }
   },
   "ServiceUnavailable": {
    "description": "The store is not available, or the server is overloaded or stopping. Nothing has changed, unless a fault of the\\ndisk, the database file or the connection to a database server interrupted a write. Such a write may have been\\ndone, or may appear when the server starts again. To find out, repeat it until the status is another one: 40900\\nthen means that a plant with this \`id\` is stored, and 40401 that none is.\\n",
    "headers": {
     "X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"},
     "RateLimit-Policy": {"$ref": "#/components/headers/RateLimit-Policy"},
     "RateLimit": {"$ref": "#/components/headers/RateLimit"},
     "Retry-After": {"$ref": "#/components/headers/Retry-After"}
    },
    "content": {
     "application/json": {
      "schema": {"$ref": "#/components/schemas/Error"},
      "example": {"error": 50300, "message": "the store is not available now; try again in a second"}
     }
    }
   }
  }
 }
}
`,
  sha256: "b0fd2bbb97232c33d92e26fe1e06a529c27afc8ad64246a42177c21f8c939be9",
}

/** The values that x-enum-varnames names. */
export const named = {
Error: {
error: {
malformed_body: 40000,
invalid_request: 40001,
malformed_http: 40002,
credentials_missing: 40100,
token_invalid: 40101,
path_not_found: 40400,
plant_not_found: 40401,
method_not_allowed: 40500,
request_timeout: 40800,
plant_exists: 40900,
body_too_large: 41300,
unsupported_media_type: 41500,
rate_limited: 42900,
headers_too_large: 43100,
internal: 50000,
unavailable: 50300,
},
},
} as const
