/** The types of JSON Schema; `number` includes `integer`. */
export const jsonTypes = ['null', 'boolean', 'object', 'array', 'string', 'number', 'integer'] as const
export type JsonType = (typeof jsonTypes)[number]

/**
 * The keywords of JSON Schema 2020-12 and of OpenAPI's dialect that a checked contract has, with their values.
 *
 * @typeParam Part a subschema
 */
export interface Keywords<Part> {
  readonly $ref?: string

  readonly allOf?: readonly Part[]
  readonly anyOf?: readonly Part[]
  readonly oneOf?: readonly Part[]
  readonly not?: Part
  readonly if?: Part
  readonly then?: Part
  readonly else?: Part
  readonly dependentSchemas?: Readonly<Record<string, Part>>
  readonly prefixItems?: readonly Part[]
  readonly items?: Part
  readonly contains?: Part
  readonly unevaluatedItems?: Part
  readonly properties?: Readonly<Record<string, Part>>
  readonly patternProperties?: Readonly<Record<string, Part>>
  readonly additionalProperties?: Part
  readonly unevaluatedProperties?: Part
  readonly propertyNames?: Part

  readonly type?: JsonType | readonly JsonType[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly minimum?: number | bigint
  readonly maximum?: number | bigint
  readonly exclusiveMinimum?: number | bigint
  readonly exclusiveMaximum?: number | bigint
  readonly multipleOf?: number | bigint
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly minContains?: number
  readonly maxContains?: number
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly required?: readonly string[]
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>

  readonly default?: unknown
  readonly readOnly?: boolean
  readonly writeOnly?: boolean
  readonly discriminator?: { readonly propertyName: string; readonly mapping?: Readonly<Record<string, string>> }
  // What only documents may be anything.
  readonly title?: unknown
  readonly description?: unknown
  readonly deprecated?: unknown
  readonly example?: unknown
  readonly examples?: unknown
  readonly externalDocs?: unknown
  readonly xml?: unknown
  readonly $comment?: unknown
  readonly $defs?: unknown
  readonly [extension: `x-${string}`]: unknown
}

/** A schema object. */
export type Schema = Keywords<Subschema>

/** A schema, or whether every value is valid. */
export type Subschema = Schema | boolean

/** The named schemas of a contract, by name. */
export type NamedSchemas = Readonly<Record<string, Subschema>>

/** The name of a keyword. */
export type KeywordName = Exclude<keyof Schema, `x-${string}`>

/** The target of a subschema: the same value as its parent, a part of that value, or the name of a property. */
export type Applies = 'to the value' | 'to a part' | 'to a name'

/** What a keyword says (JSON Schema 2020-12, core, section 7). */
export type Keyword = { is: 'reference' } | Annotation | Assertion | Applicator

interface Annotation {
  is: 'annotation'
  /** Whether its value may be any, in which nothing is a schema. */
  isData?: true
}

interface Assertion {
  is: 'assertion'
  /** The values that it says something about: for any, see JSON Schema 2020-12, validation, section 6.1. */
  about: 'any value' | 'numbers' | 'texts' | 'numbers and texts' | 'lists' | 'objects'
  isData?: true
  beside?: 'contains'
}

/** A keyword with subschemas (JSON Schema 2020-12, core, sections 10 and 11). */
export interface Applicator {
  is: 'applicator'
  applies: Applies
  /** When they describe the same value. */
  describes?: 'always' | 'sometimes'
  /** Whether a value that does not match one may be valid, or one that does may be invalid. */
  isTest?: true
  holds: 'one' | 'a list' | 'a map'
  /** Without which keyword it means nothing. */
  beside?: 'if'
}

const annotation = { is: 'annotation' } as const
const data = { is: 'annotation', isData: true } as const
const aboutNumbers = { is: 'assertion', about: 'numbers' } as const
const aboutTexts = { is: 'assertion', about: 'texts' } as const
const aboutLists = { is: 'assertion', about: 'lists' } as const
const aboutObjects = { is: 'assertion', about: 'objects' } as const
const aboutAny = { is: 'assertion', about: 'any value' } as const

/** Every keyword: a new one is an error of the compiler here, and wherever one of its role must be known. */
export const keywords = {
  $ref: { is: 'reference' },

  allOf: { is: 'applicator', applies: 'to the value', describes: 'always', holds: 'a list' },
  anyOf: { is: 'applicator', applies: 'to the value', describes: 'sometimes', holds: 'a list' },
  oneOf: { is: 'applicator', applies: 'to the value', describes: 'sometimes', holds: 'a list', isTest: true },
  not: { is: 'applicator', applies: 'to the value', holds: 'one', isTest: true },
  if: { is: 'applicator', applies: 'to the value', describes: 'sometimes', holds: 'one', isTest: true },
  then: { is: 'applicator', applies: 'to the value', describes: 'sometimes', holds: 'one', beside: 'if' },
  else: { is: 'applicator', applies: 'to the value', describes: 'sometimes', holds: 'one', beside: 'if' },
  dependentSchemas: { is: 'applicator', applies: 'to the value', describes: 'sometimes', holds: 'a map' },
  prefixItems: { is: 'applicator', applies: 'to a part', holds: 'a list' },
  items: { is: 'applicator', applies: 'to a part', holds: 'one' },
  contains: { is: 'applicator', applies: 'to a part', holds: 'one', isTest: true },
  unevaluatedItems: { is: 'applicator', applies: 'to a part', holds: 'one' },
  properties: { is: 'applicator', applies: 'to a part', holds: 'a map' },
  patternProperties: { is: 'applicator', applies: 'to a part', holds: 'a map' },
  additionalProperties: { is: 'applicator', applies: 'to a part', holds: 'one' },
  unevaluatedProperties: { is: 'applicator', applies: 'to a part', holds: 'one' },
  propertyNames: { is: 'applicator', applies: 'to a name', holds: 'one' },

  type: aboutAny,
  enum: { ...aboutAny, isData: true },
  const: { ...aboutAny, isData: true },
  format: { is: 'assertion', about: 'numbers and texts' },
  minimum: aboutNumbers,
  maximum: aboutNumbers,
  exclusiveMinimum: aboutNumbers,
  exclusiveMaximum: aboutNumbers,
  multipleOf: aboutNumbers,
  minLength: aboutTexts,
  maxLength: aboutTexts,
  pattern: aboutTexts,
  minItems: aboutLists,
  maxItems: aboutLists,
  uniqueItems: aboutLists,
  minContains: { ...aboutLists, beside: 'contains' },
  maxContains: { ...aboutLists, beside: 'contains' },
  minProperties: aboutObjects,
  maxProperties: aboutObjects,
  required: aboutObjects,
  dependentRequired: aboutObjects,

  default: data,
  readOnly: annotation,
  writeOnly: annotation,
  discriminator: annotation,
  title: annotation,
  description: annotation,
  deprecated: annotation,
  example: data,
  examples: data,
  externalDocs: annotation,
  xml: annotation,
  $comment: annotation,
  $defs: annotation,
} as const satisfies Record<KeywordName, Keyword>

/** The names of the keywords of a role. */
export type NameOf<Role> = {
  [Name in KeywordName]: (typeof keywords)[Name] extends Role ? Name : never
}[KeywordName]

export type ApplicatorName = NameOf<Applicator>
export type AssertionName = NameOf<{ is: 'assertion' }>

/** The name of an assertion about numbers. */
export type NumericName = NameOf<{ about: 'numbers' }>

type PartOf<Each> = Each extends Keyword ? Readonly<Partial<Each>> : never

/** The names of the keywords of a role, in the order of the table. */
export function keywordNames<const Role extends PartOf<Keyword>>(role: Role): NameOf<Role>[] {
  const isOf = (name: KeywordName): name is NameOf<Role> => {
    const said = new Map<string, unknown>(Object.entries(keywords[name]))
    return Object.entries(role).every(([key, value]) => said.get(key) === value)
  }
  return Object.keys(keywords).filter(isKeyword).filter(isOf)
}

/** The keywords of which a value matches one subschema or several. */
export const choiceNames = keywordNames({ describes: 'sometimes', holds: 'a list' })
export type ChoiceName = (typeof choiceNames)[number]

/** The keywords that mean nothing without another, which is the first of each list. */
export const groups = (['if', 'contains'] as const).map((first) => [first, ...keywordNames({ beside: first })] as const)

/** What the table says of a keyword; undefined for any other name. */
export function keywordOf(name: string): Keyword | undefined {
  return isKeyword(name) ? keywords[name] : undefined
}

export function isKeyword(name: string): name is KeywordName {
  return Object.hasOwn(keywords, name)
}

/** Whether a keyword has subschemas. */
export function isApplicator(name: string): name is ApplicatorName {
  return keywordOf(name)?.is === 'applicator'
}

export function applicatorOf(name: ApplicatorName): Applicator {
  return keywords[name]
}

export function isNumeric(name: string): name is NumericName {
  const keyword = keywordOf(name)
  return keyword?.is === 'assertion' && keyword.about === 'numbers'
}
