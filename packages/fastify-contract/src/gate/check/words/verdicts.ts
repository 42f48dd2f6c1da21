import type { Schema } from '../../../schema/schema-parts.ts'

/** What the service does with a word of the contract. None is ignored. */
export type Verdict = 'enforced' | 'shown' | 'refused'

/** A field of OpenAPI 3.1 or a keyword of JSON Schema 2020-12. */
export interface Word {
  verdict: Verdict
  /** What the service does with the word; for one that is refused, the reason and the remedy. */
  text: string
  /** The kind of object that is the word's value, or that is in the list or the map which is its value. */
  holds?: Kind | [Kind] | { each: Kind }
  /** The reason and the remedy where this value of a word is refused; undefined where it is not. */
  refuses?: (value: unknown, object: Record<string, unknown>, context: WordContext) => string | undefined
}

/** Where an object stands. */
export interface WordContext {
  /** The named schemas of the contract. */
  schemas: Record<string, Schema>
  /** What a schema is the schema of: `readOnly` and `default` mean something for a property or a parameter alone. */
  role: 'property' | 'parameter' | 'named' | 'other'
  /** Whether an object of OpenAPI is where a local reference leads: not in an extension, nor in an example. */
  isObject: (reference: string) => boolean
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

export const enforced = (text: string, rest: Omit<Word, 'verdict' | 'text'> = {}): Word => ({
  verdict: 'enforced',
  text,
  ...rest,
})
export const shown = (text: string, rest: Omit<Word, 'verdict' | 'text'> = {}): Word => ({
  verdict: 'shown',
  text,
  ...rest,
})
export const refused = (text: string): Word => ({ verdict: 'refused', text })
