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

/** What the client needs of a contract: the module `generated/client.ts`. */
export interface ClientContract {
  clientOperations: Record<string, ClientOperation>
  int64Schemas: Record<string, Int64Schema>
}
