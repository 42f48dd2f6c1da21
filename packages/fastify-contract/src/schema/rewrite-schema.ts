import type { JsonType, NamedSchemas, Schema } from './schema-parts.ts'
import { inPlace, isSchema, schemaNameOf, subschemasOf, typesOfValue, withSubschemas } from './schema-parts.ts'

/** Where the values of a schema go, which decides what `readOnly`, `writeOnly` and `default` mean. */
export type Direction = 'request' | 'response'

/** The keyword `declared`: what a schema says about the properties of an object. */
export interface Declaration {
  names: string[]
  /** Whether it allows or refuses further properties itself, by `additionalProperties`. */
  isOpen: boolean
  /** Whether an object has no other properties than those that its schemas declare. */
  isClosed: boolean
}

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

/** Keywords that assert nothing. Ajv's strict mode refuses those that JSON Schema does not know. */
const annotations: readonly string[] = [
  ...['title', 'description', 'deprecated', 'readOnly', 'writeOnly', 'example', 'examples', 'default'],
  ...['xml', 'externalDocs', 'discriminator', '$comment'],
]

/**
 * Rewrites the schemas of a contract for Ajv.
 *
 * The keyword `scalar` alone validates integers, numbers and booleans: Ajv's own keywords compare doubles, and its
 * coercion of parameters takes ` 5 `, `0x10` and `1e3`. The keyword `declared` notes which properties the schemas
 * declare: requests lose others, and responses may not have them. In requests the keyword `defaults` has those of
 * properties, and a property that is `readOnly` is not allowed. In responses a property that is `writeOnly` is not
 * allowed. The keyword `closed` stands for `unevaluatedProperties: false`, and `counted` bounds the work.
 */
export class SchemaRewriter {
  readonly #schemas: NamedSchemas
  readonly direction: Direction | undefined

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
        isSchema(schema)
          ? { ...this.#rewrite(schema, this.#hidden(schema)), ...(refers(schema) ? { counted: true } : {}) }
          : schema,
      ]),
    )
  }

  /** Rewrites the schema of a value. */
  ofValue(schema: unknown): unknown {
    if (!isSchema(schema)) return schema
    // A schema of an alternative that does not hold closes the object, too.
    const isClosed = inPlace(schema, this.#schemas).some((each) => 'properties' in each)
    return withDeclared(this.#rewrite(schema, this.#hidden(schema)), { ...this.#declarationOf(schema), isClosed })
  }

  /** The value that stands for a property or a parameter that is left out, if its schema gives one. */
  defaultOf(schema: unknown): unknown {
    if (!isSchema(schema)) return undefined
    return inPlace(schema, this.#schemas, 'always').find((each) => each['default'] !== undefined)?.['default']
  }

  /** @param hidden the properties of the value that are not allowed in this direction */
  #rewrite(schema: Schema, hidden: ReadonlySet<string>): Schema {
    const type = schema['type'] ?? typeOfConstants(schema)
    if (Array.isArray(type) && type.some((member) => scalarTypes.includes(member))) {
      // A format is that of numbers or of texts: the others of the types have none.
      const { format, ...formatless } = schema
      const ofFormat = numericFormats.includes(format) ? ['integer', 'number'] : ['string']
      const alternative = (member: unknown) => ({
        ...(ofFormat.includes(String(member)) ? schema : formatless),
        type: member,
      })
      return { anyOf: type.map((member) => this.#rewrite(alternative(member), hidden)) }
    }
    const defaults: [name: unknown, value: unknown][] = []
    const copy = withSubschemas(withoutAnnotations(schema), (subschema, applies, keyword, name) => {
      if (keyword === 'properties' && hidden.has(name ?? '')) return false
      if (applies === 'to the value') return this.#inPlace(subschema, keyword, hidden)
      const value = this.direction === 'request' && keyword === 'properties' ? this.defaultOf(subschema) : undefined
      if (value !== undefined) defaults.push([name, value])
      return this.ofValue(subschema)
    })
    if (defaults.length > 0) copy['defaults'] = Object.fromEntries(defaults)
    const { required, $ref: reference } = copy
    if (Array.isArray(required)) copy['required'] = required.filter((name) => !hidden.has(String(name)))
    const name = schemaNameOf(reference)
    if (name !== undefined) copy['$ref'] = idOf(name)
    return withScalar(copy, type)
  }

  /** Rewrites a schema that applies to the same value as the one that holds it. */
  #inPlace(schema: unknown, keyword: string, hidden: ReadonlySet<string>): unknown {
    if (!isSchema(schema)) return schema
    if (keyword === 'allOf') return this.#rewrite(schema, hidden)
    // `not` asks for what is there; `required` elsewhere asks for what the direction has.
    const branch = this.#rewrite(schema, keyword === 'not' ? new Set() : hidden)
    return withDeclared(branch, this.#declarationOf(schema))
  }

  /** What a schema declares wherever it holds. Its alternatives declare what is theirs. */
  #declarationOf(schema: Schema): Declaration {
    const all = inPlace(schema, this.#schemas, 'always')
    const names = all.flatMap(({ properties }) => Object.keys(properties ?? {}))
    return { names: [...new Set(names)], isOpen: all.some((each) => 'additionalProperties' in each), isClosed: false }
  }

  #hidden(schema: Schema): Set<string> {
    const flag = this.direction === 'request' ? 'readOnly' : this.direction === 'response' ? 'writeOnly' : undefined
    if (flag === undefined) return new Set()
    const properties = inPlace(schema, this.#schemas).flatMap((each) => Object.entries(each['properties'] ?? {}))
    const isFlagged = (property: unknown) =>
      isSchema(property) && inPlace(property, this.#schemas).some((each) => each[flag] === true)
    return new Set(properties.filter(([, property]) => isFlagged(property)).map(([name]) => name))
  }
}

/** Whether a schema refers to others, which may lead back to it, or on to many. */
function refers(schema: Schema): boolean {
  return '$ref' in schema || subschemasOf(schema).some((part) => refers(part.schema))
}

function withDeclared(schema: Schema, declared: Declaration): Schema {
  const { names, isOpen, isClosed } = declared
  return names.length > 0 || isOpen || isClosed ? { ...schema, declared } : schema
}

function withoutAnnotations(schema: Schema): Schema {
  const isKept = ([name]: [string, unknown]) => !name.startsWith('x-') && !annotations.includes(name)
  return Object.fromEntries(Object.entries(schema).filter(isKept))
}

/** `enum` and `const` of scalars alone say the types, which text is then coerced to. */
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
