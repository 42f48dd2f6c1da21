import { integerRanges } from '../../json/integers.ts'
import { discriminatorOf } from './discriminator.ts'
import { alternativesOf, defaultOf, isMarked, propertiesOf, requiredOf, typesOfValue } from '../read/meaning.ts'
import type { Declaration, Rewritten, RewrittenSchema, SeenItems } from './rewritten-schema.ts'
import {
  inPlace,
  isSchema,
  schemaNameOf,
  subschemasOf,
  withSubschemas,
  withoutAnnotations,
} from '../read/schema-parts.ts'
import { type JsonType, type NamedSchemas, type Schema, type Subschema } from '../read/schema.ts'
import { choiceNames, isNumeric, keywordNames } from '../read/schema.ts'

/** The direction of the values, which decides the meaning of `readOnly`, `writeOnly` and `default`. */
export type Direction = 'request' | 'response'

type Writable<Type> = { -readonly [Name in keyof Type]: Type[Name] }

/**
 * The identifier of a named schema in Ajv. Ajv compiles a schema with an identifier once, but the target of a JSON pointer
 * once for each reference. The name is in the query, because a URI resolves `..` in a path.
 */
function idOf(name: string): string {
  return `contract:?${encodeURIComponent(name)}`
}

const numericFormats: readonly unknown[] = [...Object.keys(integerRanges), 'float', 'double']
const scalarTypes = ['integer', 'number', 'boolean'] as const

/**
 * Rewrites the schemas of a contract for Ajv.
 *
 * - `scalar` validates integers, numbers and booleans: Ajv's own keywords compare doubles, and its coercion of parameters
 *   accepts ` 5 `, `0x10` and `1e3`.
 * - `declared` notes the declared properties: others are removed from requests and rejected in responses.
 * - `defaults` applies the defaults of properties in requests.
 * - `counted` limits the work.
 *
 * `readOnly` properties are rejected in requests, `writeOnly` properties in responses.
 */
export class SchemaRewriter {
  readonly #schemas: NamedSchemas
  readonly direction: Direction | undefined

  /**
   * @param schemas the named schemas of the contract, integers beyond 2^53 as bigints
   * @param direction undefined for values without a direction, such as examples within schemas
   */
  constructor(schemas: NamedSchemas, direction: Direction | undefined) {
    this.#schemas = schemas
    this.direction = direction
  }

  /** Rewrites the named schema with an identifier in Ajv. */
  named(id: string): Rewritten {
    const { [decodeURIComponent(id.slice(idOf('').length))]: schema } = this.#schemas
    if (schema === undefined) throw new Error(`the reference ${id} leads to nothing`)
    if (!isSchema(schema)) return schema
    return { ...this.#rewrite(schema, this.#hidden(schema)), ...(refers(schema) ? { counted: true } : {}) }
  }

  /** Rewrites the schema of a value. */
  rewriteValue(schema: Subschema): Rewritten {
    if (!isSchema(schema)) return schema
    const hidden = this.#hidden(schema)
    const rewritten = this.#withDeclared(this.#rewrite(schema, hidden), schema)
    const required = this.#requiredBeforeDefaults(schema).filter((name) => !hidden.has(name))
    return required.length === 0 ? rewritten : { allOf: [{ required }, rewritten] }
  }

  /** The required properties with a default, which must be there before defaults are applied. */
  #requiredBeforeDefaults(schema: Schema): string[] {
    if (this.direction !== 'request') return []
    const required = requiredOf(schema, this.#schemas)
    const properties = [...propertiesOf(schema, this.#schemas, 'always')]
    const names = properties.filter(([name, property]) => required.has(name) && this.defaultOf(property) !== undefined)
    return names.map(([name]) => name)
  }

  /** The default of a property or a parameter; undefined if it has none. */
  defaultOf(schema: Subschema): unknown {
    return defaultOf(schema, this.#schemas)
  }

  /** @param hidden the properties that this direction does not allow */
  #rewrite(schema: Schema, hidden: ReadonlySet<string>): RewrittenSchema {
    const { unevaluatedProperties, unevaluatedItems, ...open } = schema
    if (unevaluatedProperties !== undefined) {
      const rest = unevaluatedItems === undefined ? open : { ...open, unevaluatedItems }
      const others = this.rewriteValue(unevaluatedProperties)
      return { closed: { schema: this.#rewrite(rest, hidden), others, evaluated: this.#declarationOf(rest) } }
    }
    if (unevaluatedItems !== undefined) {
      const others = this.rewriteValue(unevaluatedItems)
      const evaluated = this.#seenItems(open, hidden)
      return { closedItems: { schema: this.#rewrite(open, hidden), others, evaluated } }
    }
    const type = schema.type ?? typeOfConstants(schema)
    // Nothing is of no type.
    if (typeof type === 'object' && (type.length === 0 || type.some(isScalar))) {
      // A format applies to numbers or to strings; the other types go without.
      const { format, ...formatless } = schema
      const formatTypes = numericFormats.includes(format) ? ['integer', 'number'] : ['string']
      const alternative = (member: JsonType): Schema => ({
        ...(formatTypes.includes(member) ? schema : formatless),
        type: member,
      })
      return { anyOf: type.map((member) => this.#rewrite(alternative(member), hidden)) }
    }
    const defaults: [name: string, value: unknown][] = []
    const whole = withSubschemas(withoutAnnotations(schema), (subschema, applies, keyword, name) => {
      if (keyword === 'properties' && hidden.has(name)) return false
      if (applies === 'to the value') return this.#inPlace(subschema, keyword, hidden)
      const value = this.direction === 'request' && keyword === 'properties' ? this.defaultOf(subschema) : undefined
      if (value !== undefined) defaults.push([name, value])
      return this.rewriteValue(subschema)
    })
    const { patternProperties, ...rest } = whole
    const copy: Writable<RewrittenSchema> = rest
    // What JSON shows as another type is found where properties are read.
    if (this.direction === 'response' && [type].flat().includes('object')) copy.properties ??= {}
    if (defaults.length > 0) copy.defaults = Object.fromEntries(defaults)
    for (const keyword of choiceNames) {
      const { [keyword]: schemas } = whole
      const discriminator = discriminatorOf(schema[keyword], this.#schemas, hidden)
      if (schemas !== undefined && discriminator !== undefined) copy[keyword] = { schemas, discriminator }
    }
    if (patternProperties !== undefined) {
      const { additionalProperties } = whole
      Reflect.deleteProperty(copy, 'additionalProperties')
      copy.patterned = { patternProperties, ...(additionalProperties === undefined ? {} : { additionalProperties }) }
    }
    if (schema.required !== undefined) copy.required = schema.required.filter((name) => !hidden.has(name))
    const name = schemaNameOf(schema.$ref)
    if (name !== undefined) copy.$ref = idOf(name)
    return withScalar(copy, type)
  }

  /** Rewrites a subschema that applies to the same value as its parent. */
  #inPlace(schema: Subschema, keyword: string, hidden: ReadonlySet<string>): Rewritten {
    if (!isSchema(schema)) return schema
    if (keyword === 'allOf') return this.#rewrite(schema, hidden)
    // `required` ignores hidden properties, but not within `not`.
    return this.#withDeclared(this.#rewrite(schema, keyword === 'not' ? new Set() : hidden), schema)
  }

  #withDeclared(rewritten: RewrittenSchema, schema: Schema): RewrittenSchema {
    const declared = this.#declarationOf(schema)
    return declared.isClosed || declared.isOpen || declared.patterns.length > 0 ? { ...rewritten, declared } : rewritten
  }

  /** The properties that a schema always declares; each alternative declares its own. */
  #declarationOf(schema: Schema): Declaration {
    const all = inPlace(schema, this.#schemas, 'always')
    const names = new Set(all.flatMap(({ properties }) => Object.keys(properties ?? {})))
    const patterns = new Set(all.flatMap(({ patternProperties }) => Object.keys(patternProperties ?? {})))
    const isOpen = all.some((each) => 'additionalProperties' in each || isOthers(each.unevaluatedProperties))
    const isClosed = !isOpen && all.some((each) => 'properties' in each)
    return { names: [...names], patterns: [...patterns], isOpen, isClosed }
  }

  #seenItems(schema: Subschema, hidden: ReadonlySet<string>): SeenItems {
    const seen: SeenItems = { first: 0, containing: [], choices: [] }
    // References do not lead back without a list or an object between.
    for (const each of inPlace(schema, this.#schemas, 'always')) {
      const { prefixItems = [], contains } = each
      const isWhole = 'items' in each || 'unevaluatedItems' in each
      const first = isWhole ? Infinity : prefixItems.length
      seen.first = Math.max(seen.first, first)
      if (contains !== undefined) seen.containing.push(this.rewriteValue(contains))
      for (const branch of alternativesOf(each).flat()) {
        const applies = isSchema(branch) ? this.#rewrite(branch, hidden) : branch
        seen.choices.push({ applies, seen: this.#seenItems(branch, hidden) })
      }
    }
    return seen
  }

  #hidden(schema: Schema): Set<string> {
    const flag = this.direction === 'request' ? 'readOnly' : this.direction === 'response' ? 'writeOnly' : undefined
    if (flag === undefined) return new Set()
    const properties = [...propertiesOf(schema, this.#schemas)]
    return new Set(properties.filter(([, one]) => isMarked(one, this.#schemas, flag)).map(([name]) => name))
  }
}

/** Whether a schema of other properties allows some. */
function isOthers(schema: Subschema | undefined): boolean {
  return schema !== undefined && schema !== false
}

/** Whether a schema has a reference, at any depth. */
function refers(schema: Schema): boolean {
  return '$ref' in schema || subschemasOf(schema).some((part) => refers(part.schema))
}

/** The types of the scalars in `enum` or `const`, for the coercion of text. */
function typeOfConstants(schema: Schema): JsonType | JsonType[] | undefined {
  const constants = schema.enum ?? ('const' in schema ? [schema.const] : [])
  // A handler gets an integer that a double may round as a number.
  const isRounded = (member: unknown) => typeof member === 'number' && !Number.isSafeInteger(member)
  const types = new Set(constants.map((member) => (isRounded(member) ? 'number' : typesOfValue(member)[0]!)))
  // Integers are numbers.
  if (types.has('number')) types.delete('integer')
  const [first, ...others] = types
  if (types.has('object') || types.has('array')) return undefined
  return others.length === 0 ? (isScalar(first) ? first : undefined) : [...types]
}

/** The assertions about any value are about scalars too. */
const ofScalars: readonly string[] = ['format', ...keywordNames({ about: 'any value' })]

/** Moves the assertions about integers, numbers and booleans to the keyword `scalar`. */
function withScalar(schema: RewrittenSchema, type: Schema['type']): RewrittenSchema {
  const scalarType = scalarTypes.find((each) => each === type)
  const isMoved = (name: string) => isNumeric(name) || (scalarType !== undefined && ofScalars.includes(name))
  // A numeric assertion does nothing beside another type.
  const isKept = (name: string) => !isNumeric(name) || type === undefined || type === 'integer' || type === 'number'
  const entries = Object.entries(schema)
  const moved = entries.filter(([name]) => isMoved(name) && isKept(name))
  const others: RewrittenSchema = Object.fromEntries(entries.filter(([name]) => !isMoved(name)))
  if (moved.length === 0 && scalarType === undefined) return others
  return { ...others, scalar: { ...(scalarType && { type: scalarType }), ...Object.fromEntries(moved) } }
}

function isScalar(type: JsonType | undefined): boolean {
  return scalarTypes.some((each) => each === type)
}
