import type { NamedSchemas, Schema } from 'fastify-contract/schema'

/** The problem and the remedy of a keyword: for any value, or for some values. */
type Rule = string | ((value: unknown, object: Schema, context: KeywordContext) => string | undefined)

/** The form of a value, in the words of messages. */
export type Form = 'text' | 'true or false' | 'a number' | 'a count' | 'a list' | 'a list of names'

/** The treatment of a keyword of OpenAPI 3.1 or JSON Schema 2020-12. None is ignored without a word. */
export interface Keyword {
  /** Whether it is only documentation. Any other keyword is enforced, ignored or rejected. */
  isShown?: true
  /** The kind of the object that is its value, or of the objects in its list or map. */
  holds?: Kind | [Kind] | { each: Kind }
  /** The form of its value, unless it follows from `holds`. */
  is?: Form
  /** What makes the contract be refused. */
  rejects?: Rule
  /** What is removed with a warning. */
  ignores?: Rule
  /** What is kept with a warning, because it is enforced in part. */
  warns?: Rule
}

/** The context of an object. */
export interface KeywordContext {
  /** The named schemas of the contract. */
  schemas: NamedSchemas
  /** Its security schemes, by name. */
  securitySchemes: ReadonlyMap<string, { type: unknown; isSupported: boolean }>
  /** Whether it has an operation with this operationId, or at the end of this reference. */
  hasOperation: (by: { id: unknown } | { reference: string }) => boolean
  /** Whether a value must not match this schema, or only this one of several: without an assertion it refuses valid ones. */
  isExclusive: (schema: Schema) => boolean
  /** The use of a schema: `readOnly` and `default` apply only to some. */
  role: 'property' | 'parameter' | 'named' | 'other'
}

/** The objects of OpenAPI 3.1 (section 4.8). A Media Type Object of a request has other rules than one of a response. */
export type Kind =
  | 'document'
  | 'info'
  | 'server'
  | 'components'
  | 'pathItem'
  | 'operation'
  | 'parameter'
  | 'requestBody'
  | 'requestContent'
  | 'responseContent'
  | 'response'
  | 'callback'
  | 'example'
  | 'link'
  | 'header'
  | 'schema'
  | 'discriminator'
  | 'securityScheme'

/** Keywords with the same treatment. @param names separated by spaces */
export function each(names: string, keyword: Keyword = {}): Record<string, Keyword> {
  return Object.fromEntries(names.split(' ').map((name) => [name, keyword]))
}

/** Keywords that are documentation. @param names separated by spaces */
export function shown(names: string, holds?: NonNullable<Keyword['holds']>): Record<string, Keyword> {
  return each(names, { isShown: true, ...(holds === undefined ? {} : { holds }) })
}

/** Keywords that are rejected with any value. @param names separated by spaces */
export function rejected(names: string, reason: string): Record<string, Keyword> {
  return each(names, { rejects: reason })
}

/** Keywords that are ignored with any value. @param names separated by spaces */
export function ignored(names: string, reason: string): Record<string, Keyword> {
  return each(names, { ignores: reason })
}
