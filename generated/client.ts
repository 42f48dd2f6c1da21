// Generated from openapi.yaml sha256:8a9ed540ae7a07b6ae84e7a1e03f9aa2f210932ab39de979da6b5942bdc76186 by npm run generate. Do not edit.

/** The parts of a schema that lead to an int64; `$ref` is a name of `int64Schemas`. */
export interface Int64Schema {
  format?: 'int64'
  $ref?: string
  properties?: Record<string, Int64Schema>
  patternProperties?: Record<string, Int64Schema>
  additionalProperties?: Int64Schema
  prefixItems?: readonly Int64Schema[]
  items?: Int64Schema
  /** The members of `anyOf`, `oneOf` and the like too. */
  allOf?: readonly Int64Schema[]
  /** The texts that properties of a value have, of which the schema is; a value may lack them. */
  when?: Record<string, readonly string[]>
}

/** How an operation is called. */
export interface ClientOperation {
  method: string
  path: string
  /** What stands between the items of an array in the query, by parameter, where they share one parameter. */
  delimiters?: Record<string, string>
  /** The media type of the request's body. */
  contentType?: string
  /** Whether it can be called without a token. */
  isPublic?: true
  /** By status, by range of statuses or by `default`: where a body has an int64, by media type. */
  replies: Record<string, Record<string, Int64Schema>>
}

/** The schemas with an int64 that others refer to. */
export const int64Schemas: Record<string, Int64Schema> = {}

/** The operations of the contract, by operationId. */
export const clientOperations = {
  createPlant: { method: "POST", path: "/plants", contentType: "application/json", replies: { 200: { "application/json": {} }, 400: { "application/json": {} }, 401: { "application/json": {} }, 408: { "application/json": {} }, 409: { "application/json": {} }, 413: { "application/json": {} }, 415: { "application/json": {} }, 429: { "application/json": {} }, 431: { "application/json": {} }, 500: { "application/json": {} }, 503: { "application/json": {} } } },
  deletePlant: { method: "DELETE", path: "/plants/{id}", replies: { 204: {}, 400: { "application/json": {} }, 401: { "application/json": {} }, 404: { "application/json": {} }, 408: { "application/json": {} }, 429: { "application/json": {} }, 431: { "application/json": {} }, 500: { "application/json": {} }, 503: { "application/json": {} } } },
  listPlants: { method: "GET", path: "/plants", replies: { 200: { "application/json": {} }, 400: { "application/json": {} }, 401: { "application/json": {} }, 408: { "application/json": {} }, 429: { "application/json": {} }, 431: { "application/json": {} }, 500: { "application/json": {} }, 503: { "application/json": {} } } },
} as const satisfies Record<string, ClientOperation>
