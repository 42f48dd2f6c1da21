import type { Schema } from '../../../schema/schema-parts.ts'

/**
 * What the check does with a keyword of OpenAPI 3.1 or JSON Schema 2020-12. A text refuses it, and says why and what to
 * do instead.
 */
export type Keyword = string | AllowedKeyword

export interface AllowedKeyword {
  /** The kind of object that is the keyword's value, or that is in the list or the map which is its value. */
  holds?: Kind | [Kind] | { each: Kind }
  /** The reason and the remedy where this value of a keyword is refused; undefined where it is not. */
  refuses?: (value: unknown, object: Record<string, unknown>, context: KeywordContext) => string | undefined
}

/** Keywords that are allowed whatever their values are, by their names with spaces between, and others. */
export function allow(names: string, others: Record<string, Keyword> = {}): Record<string, Keyword> {
  return { ...Object.fromEntries(names.split(' ').map((name) => [name, {}])), ...others }
}

/** Where an object stands. */
export interface KeywordContext {
  /** The named schemas of the contract. */
  schemas: Record<string, Schema>
  /** What a schema is the schema of: `readOnly` and `default` mean something for a property or a parameter alone. */
  role: 'property' | 'parameter' | 'named' | 'other'
}

/** The objects of OpenAPI 3.1 (section 4.8), by the names that this project gives them. */
export type Kind =
  | 'document'
  | 'info'
  | 'contact'
  | 'license'
  | 'server'
  | 'components'
  | 'pathItem'
  | 'operation'
  | 'externalDocs'
  | 'parameter'
  | 'requestBody'
  | 'requestContent'
  | 'responseContent'
  | 'response'
  | 'callback'
  | 'example'
  | 'link'
  | 'header'
  | 'tag'
  | 'schema'
  | 'discriminator'
  | 'securityScheme'
  | 'flows'
  | 'flow'
