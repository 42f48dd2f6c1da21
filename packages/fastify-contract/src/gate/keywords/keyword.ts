import type { NamedSchemas, Schema } from '../../schema/schema-parts.ts'

/** What the service does with a keyword of OpenAPI 3.1 or JSON Schema 2020-12. None is ignored. */
export interface Keyword {
  /** Whether it is documentation alone. Every other keyword is enforced, or refused whatever its value is. */
  isShown?: true
  /** The kind of object that is the keyword's value, or that is in the list or the map which is its value. */
  holds?: Kind | [Kind] | { each: Kind }
  /** The reason and the remedy of a refusal: always, or for some values. */
  refuses?: string | ((value: unknown, object: Schema, context: KeywordContext) => string | undefined)
}

/** Where an object stands. */
export interface KeywordContext {
  /** The named schemas of the contract. */
  schemas: NamedSchemas
  /** What a schema is the schema of: `readOnly` and `default` mean something for a property or a parameter alone. */
  role: 'property' | 'parameter' | 'named' | 'other'
}

/** The objects of OpenAPI 3.1 (section 4.8). A Media Type Object of a request has other rules than one of a response. */
export type Kind =
  | 'document'
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

/** Keywords of the same treatment. @param names with spaces between */
export function each(names: string, keyword: Keyword = {}): Record<string, Keyword> {
  return Object.fromEntries(names.split(' ').map((name) => [name, keyword]))
}

/** Keywords that are documentation. @param names with spaces between */
export function shown(names: string, holds?: NonNullable<Keyword['holds']>): Record<string, Keyword> {
  return each(names, { isShown: true, ...(holds === undefined ? {} : { holds }) })
}

/** Keywords that are refused whatever their values are. @param names with spaces between */
export function refused(names: string, reason: string): Record<string, Keyword> {
  return each(names, { refuses: reason })
}
