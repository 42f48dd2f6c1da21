import type { ScalarSchema } from './scalar-assertions.ts'
import type { ChoiceName, Keywords, NameOf } from '../read/schema.ts'

/** A schema as Ajv gets it. */
export type Rewritten = RewrittenSchema | boolean

/** The keywords that Ajv gets in another form. */
type Replaced =
  | NameOf<{ is: 'annotation' } | { about: 'numbers' }>
  | ChoiceName
  | 'patternProperties'
  | 'unevaluatedProperties'
  | 'unevaluatedItems'

type Choices = { readonly [Name in ChoiceName]?: Alternatives }

export interface RewrittenSchema extends Omit<Keywords<Rewritten>, Replaced>, Choices {
  readonly scalar?: ScalarSchema
  readonly declared?: Declaration
  /** The defaults of properties. */
  readonly defaults?: Readonly<Record<string, unknown>>
  readonly counted?: true
  /** `unevaluatedProperties`, and what it is beside. */
  readonly closed?: Closed<Declaration>
  /** `unevaluatedItems`, and what it is beside. */
  readonly closedItems?: Closed<SeenItems>
  /** `patternProperties`, and `additionalProperties` beside them. */
  readonly patterned?: Keywords<Rewritten>
}

/** The value of the keyword `declared`: the properties that a schema declares. */
export interface Declaration {
  names: string[]
  /** Patterns of further names. */
  patterns: string[]
  /** Whether the schema has `additionalProperties`, which decides about the other properties. */
  isOpen: boolean
  /** Whether the schema has `properties` alone: an object may only have properties that its schemas declare. */
  isClosed: boolean
}

/** A schema without the keyword of what it does not evaluate, the value of that keyword, and what it evaluates. */
export interface Closed<Evaluated> {
  schema: Rewritten
  others: Rewritten
  evaluated: Evaluated
}

/** The items that a schema evaluates (JSON Schema 2020-12, core, section 11.2). */
export interface SeenItems {
  /** The number of first items. */
  first: number
  /** Those that match one of these, too. */
  containing: Rewritten[]
  /** What alternatives evaluate, if they apply. */
  choices: { applies: Rewritten; seen: SeenItems }[]
}

/** The value of `anyOf` and `oneOf`: the alternatives, and what tells them apart. */
export type Alternatives = readonly Rewritten[] | { schemas: readonly Rewritten[]; discriminator: Discriminator }

/** A property that tells alternatives apart, such as `kind`: its constants in each; undefined where it may be anything. */
export interface Discriminator {
  name: string
  constants: (readonly unknown[] | undefined)[]
}
