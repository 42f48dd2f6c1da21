import type { Kind } from './finite-keyword.ts'
import type { Branch } from './branch-keywords.ts'
import type { DeclaredProperties } from './declared-keyword.ts'
import type { JsonType, NamedSchemas, Schema } from './schema-parts.ts'
import { inPlace, isSchema, schemaNameOf, targetOf, typesOf, typesOfValue, withSubschemas } from './schema-parts.ts'

/** Where the values of a schema go, which decides what `readOnly`, `writeOnly` and `default` mean. */
export type Direction = 'request' | 'response'

/**
 * The identifier by which Ajv knows a schema that the contract names. Ajv compiles a schema with its own identifier
 * once, and what a JSON pointer leads to once more for each reference. A query may be `..`, a path may not.
 */
function idOf(name: string): string {
  return `contract:?${encodeURIComponent(name)}`
}

const numericAssertions = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'] as const
const numericFormats: readonly unknown[] = ['int32', 'int64', 'float', 'double']
const scalarTypes: readonly unknown[] = ['integer', 'number', 'boolean']

/** A schema without any of these does not describe what an object has in it. */
const keywordsOfProperties = [
  'properties',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
] as const
/** A schema without any of these has members that it does not describe. */
const closingKeywords: Record<Kind, readonly string[]> = {
  object: ['properties', 'additionalProperties', 'unevaluatedProperties'],
  array: ['prefixItems', 'items'],
}

/** Keywords that assert nothing. Ajv's strict mode refuses those that JSON Schema does not know. */
const annotations: readonly string[] = [
  'title',
  'description',
  'deprecated',
  'readOnly',
  'writeOnly',
  'example',
  'examples',
  'default',
  'xml',
  'externalDocs',
  'discriminator',
  '$comment',
]

/**
 * Rewrites the schemas of a contract for Ajv.
 *
 * The keyword `scalar` alone validates integers, numbers and booleans: Ajv's own keywords compare doubles, and its
 * coercion of parameters takes ` 5 `, `0x10` and `1e3`. The keyword `declared` notes which properties the schemas
 * declare: requests lose others, and responses may not have them. In requests the keyword `defaults` has those of
 * properties, a property that is `readOnly` is not allowed, and the keyword `finite` validates the numbers that no
 * schema describes. In responses a property that is `writeOnly` is not allowed. The keyword `counted` bounds the work.
 */
export class SchemaRewriter {
  readonly #schemas: NamedSchemas
  readonly direction: Direction | undefined
  readonly #branchings = new WeakMap<Schema, number>()
  #branchingCount = 0

  /**
   * @param schemas those that the contract names, integers beyond 2^53 as bigints
   * @param direction undefined for values that go neither way, such as examples inside of schemas
   */
  constructor(schemas: NamedSchemas, direction: Direction | undefined) {
    this.#schemas = schemas
    this.direction = direction
  }

  /** The schemas that the contract names, by the identifiers that the references to them have. */
  named(): NamedSchemas {
    return Object.fromEntries(
      Object.entries(this.#schemas).map(([name, schema]) => [
        idOf(name),
        isSchema(schema) ? { ...this.#sameValue(schema, this.#hidden(schema)), counted: true } : schema,
      ]),
    )
  }

  /** Rewrites the schema of a value. */
  ofValue(schema: unknown): unknown {
    if (schema === true && this.direction === 'request') return { finite: ['object', 'array'] }
    if (!isSchema(schema)) return schema
    const copy = this.#sameValue(schema, this.#hidden(schema))
    if (this.direction === undefined) return copy
    // A schema of an alternative that does not hold closes the object, too.
    if (this.#declares(schema, keywordsOfProperties)) {
      const isClosed = this.#declares(schema, ['properties'])
      copy['declared'] = { ...nothingDeclared, ...(copy['declared'] as object | undefined), isClosed }
    }
    const open = this.direction === 'request' ? this.#openKinds(schema) : []
    if (open.length > 0) copy['finite'] = open
    return copy
  }

  /** The value that stands for a property or a parameter that is left out, if its schema gives one. */
  defaultOf(schema: unknown): unknown {
    if (!isSchema(schema)) return undefined
    if (schema['default'] !== undefined) return schema['default']
    const { allOf = [] } = schema as { allOf?: unknown[] }
    const applied = [targetOf(schema, this.#schemas), ...allOf].map((each) => this.defaultOf(each))
    return applied.find((value) => value !== undefined)
  }

  /** @param hidden the properties of the value that are not allowed in this direction */
  #sameValue(schema: Schema, hidden: ReadonlySet<string>): Schema {
    const type = schema['type'] ?? typeOfConstants(schema)
    if (Array.isArray(type) && type.some((member) => scalarTypes.includes(member))) {
      // A format is that of numbers or of texts: the others of the types have none.
      const { format, ...formatless } = schema
      const ofFormat = numericFormats.includes(format) ? ['integer', 'number'] : ['string']
      const alternative = (member: unknown) => ({
        ...(ofFormat.includes(String(member)) ? schema : formatless),
        type: member,
      })
      return { anyOf: type.map((member) => this.#sameValue(alternative(member), hidden)) }
    }
    const defaults: [name: unknown, value: unknown][] = []
    const copy = withSubschemas(withoutAnnotations(schema), (subschema, applies, keyword, name) => {
      if (keyword === 'properties' && hidden.has(name ?? '')) return false
      // A condition asks for what is there. `required` elsewhere asks for what the direction has.
      const isCondition = keyword === 'not' || keyword === 'if'
      if (applies === 'to the value')
        return isSchema(subschema) ? this.#sameValue(subschema, isCondition ? new Set() : hidden) : subschema
      const value = this.direction === 'request' && keyword === 'properties' ? this.defaultOf(subschema) : undefined
      if (value !== undefined) defaults.push([name, value])
      return this.ofValue(subschema)
    })
    if (defaults.length > 0) copy['defaults'] = Object.fromEntries(defaults)
    const { required, dependentRequired, $ref: reference } = copy
    const shown = (names: unknown) => (names as unknown[]).filter((name) => !hidden.has(String(name)))
    if (required !== undefined) copy['required'] = shown(required)
    if (dependentRequired !== undefined) {
      const lists = Object.entries(dependentRequired as Record<string, unknown>)
      copy['dependentRequired'] = Object.fromEntries(lists.map(([name, names]) => [name, shown(names)]))
    }
    const name = schemaNameOf(reference)
    if (name !== undefined) copy['$ref'] = idOf(name)
    if (this.direction !== undefined && keywordsOfProperties.some((keyword) => keyword in schema)) {
      copy['declared'] = declaredProperties(schema)
    }
    return this.#withBranches(withScalar(copy, type), schema)
  }

  /**
   * Has a `Reading` drop what is read in a branch that fails, and in `not`. Each of these keywords gets a schema of its
   * own: beside others, Ajv forgets which properties those have evaluated.
   */
  #withBranches(schema: Schema, written: Schema): Schema {
    const { anyOf, oneOf, not, contains, if: condition, then, else: otherwise, dependentSchemas, ...rest } = schema
    const { minContains, maxContains, ...others } = rest
    const branching = (keyword: string, make: (branches: Branches) => Schema): Schema[] => {
      const branches = branchesOf(this.#branchingOf(written, keyword))
      return schema[keyword] === undefined ? [] : [branches.first, make(branches), branches.next]
    }
    const applied = [
      // Their values are lists of schemas.
      ...branching('anyOf', ({ branch }) => ({ anyOf: (anyOf as unknown[]).map((each) => branch(each)) })),
      ...branching('oneOf', ({ branch }) => ({ oneOf: (oneOf as unknown[]).map((each) => branch(each)) })),
      ...branching('not', () => ({ not })),
      ...branching('contains', () => defined({ contains, minContains, maxContains })),
      ...branching('if', ({ branch }) =>
        defined({ if: branch(condition), then: branch(then), else: branch(otherwise) }),
      ),
      ...(dependentSchemas === undefined ? [] : [{ dependentSchemas }]),
    ]
    if (applied.length === 0) return schema
    // The `allOf` of a schema is a list.
    return { ...others, allOf: [...((schema['allOf'] as unknown[] | undefined) ?? []), ...applied] }
  }

  /** Names a keyword of a schema, each time the same. */
  #branchingOf(schema: Schema, keyword: string): string {
    const number = this.#branchings.get(schema) ?? this.#branchingCount++
    this.#branchings.set(schema, number)
    return `${String(number)}${keyword}`
  }

  #hidden(schema: Schema): Set<string> {
    const flag = this.direction === 'request' ? 'readOnly' : this.direction === 'response' ? 'writeOnly' : undefined
    if (flag === undefined) return new Set()
    const properties = inPlace(schema, this.#schemas).flatMap((each) => Object.entries(each['properties'] ?? {}))
    const isFlagged = (property: unknown) =>
      isSchema(property) && inPlace(property, this.#schemas).some((each) => each[flag] === true)
    return new Set(properties.filter(([, property]) => isFlagged(property)).map(([name]) => name))
  }

  /** The kinds of a schema's values that can have members which it does not describe. */
  #openKinds(schema: Schema): Kind[] {
    const types = typesOf(schema, this.#schemas)
    const kinds: Kind[] = ['object', 'array']
    return kinds.filter((kind) => types.has(kind) && !this.#declares(schema, closingKeywords[kind]))
  }

  #declares(schema: Schema, keywords: readonly string[]): boolean {
    return inPlace(schema, this.#schemas).some((each) => keywords.some((keyword) => keyword in each))
  }
}

interface Branches {
  first: Schema
  next: Schema
  branch: (schema: unknown) => Schema | undefined
}

function branchesOf(of: string): Branches {
  const [first, next] = [true, false].map((isFirst): Schema => ({ branch: { of, isFirst } satisfies Branch })) as [
    Schema,
    Schema,
  ]
  return {
    first,
    next,
    branch: (schema) => (schema === undefined ? undefined : { allOf: [next, schema, { endOfBranch: of }] }),
  }
}

const nothingDeclared: DeclaredProperties = { names: [], patterns: [], isOpen: false, isClosed: false, isStrict: false }

function declaredProperties(schema: Schema): DeclaredProperties {
  return {
    names: Object.keys(schema['properties'] ?? {}),
    patterns: Object.keys(schema['patternProperties'] ?? {}),
    isOpen: 'additionalProperties' in schema || (schema['unevaluatedProperties'] ?? false) !== false,
    isClosed: 'properties' in schema || schema['unevaluatedProperties'] === false,
    isStrict: schema['unevaluatedProperties'] === false,
  }
}

function defined(schema: Schema): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined))
}

function withoutAnnotations(schema: Schema): Schema {
  const isKept = ([name]: [string, unknown]) => !name.startsWith('x-') && !annotations.includes(name)
  return Object.fromEntries(Object.entries(schema).filter(isKept))
}

/** `enum` and `const` of scalars alone say the types, which text is then read as. */
function typeOfConstants(schema: Schema): JsonType | JsonType[] | undefined {
  const { enum: values, const: value } = schema
  const constants = Array.isArray(values) ? values : 'const' in schema ? [value] : []
  const types = new Set(constants.map((member) => typesOfValue(member)[0]!))
  // An integer is a number, too.
  if (types.has('number')) types.delete('integer')
  const [first, ...others] = types
  if (types.has('object') || types.has('array')) return undefined
  return others.length === 0 ? (scalarTypes.includes(first) ? first : undefined) : [...types]
}

/** Moves the assertions about integers, numbers and booleans into the keyword `scalar`. */
function withScalar(schema: Schema, type: unknown): Schema {
  const copy = { ...schema }
  const scalar: Schema = {}
  if (scalarTypes.includes(type)) {
    scalar['type'] = type
    for (const name of ['type', 'format', 'enum', 'const']) lift(copy, scalar, name)
  } else if (type !== undefined && Array.isArray(copy['enum'])) {
    // No value of another type is a bigint, which Ajv could not compile.
    copy['enum'] = copy['enum'].filter((member) => typeof member !== 'bigint')
  }
  for (const name of numericAssertions) {
    // Beside another type the assertion asserts nothing.
    lift(copy, type === undefined || type === 'integer' || type === 'number' ? scalar : {}, name)
  }
  return Object.keys(scalar).length > 0 ? { ...copy, scalar } : copy
}

function lift(from: Schema, to: Schema, name: string): void {
  if (!(name in from)) return
  to[name] = from[name]
  // `from` is a copy that has no other user.
  Reflect.deleteProperty(from, name)
}
