const numericAssertions = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'] as const
const scalarTypes: readonly unknown[] = ['integer', 'number', 'boolean']

/** Members of the OpenAPI document and of its schemas that hold values, not schemas. */
const valueMembers: readonly string[] = [
  'example',
  'examples',
  'default',
  'enum',
  'const',
  'required',
  'security',
  'tags',
]

/** Members whose own members are named by the contract's author, so that `default` there is a name, not a keyword. */
const mapMembers: readonly string[] = [
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'paths',
  'responses',
  'headers',
  'content',
  'schemas',
  'securitySchemes',
]

/** Keywords of the OpenAPI vocabulary that assert nothing, and would make Ajv's strict mode refuse the schema. */
const annotations: readonly string[] = ['example', 'examples', 'default', 'xml', 'externalDocs', 'discriminator']

/**
 * Rewrites a contract so that the keyword `scalar` alone validates integers, numbers and booleans.
 *
 * Ajv's own keywords compare doubles, and its coercion of parameters takes ` 5 `, `0x10` and `1e3`.
 *
 * @param node an OpenAPI document or a part of one, with integers beyond 2^53 as bigints
 * @returns a copy with neither annotations nor examples nor bigints outside of `scalar`
 */
export function withExactScalars(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withExactScalars)
  if (typeof node !== 'object' || node === null) return node
  const object = node as Record<string, unknown>
  const { type } = object
  if (Array.isArray(type) && type.some((member) => scalarTypes.includes(member))) {
    // null has no format.
    const { format: _, ...formatless } = object
    const alternative = (member: unknown) => ({ ...(member === 'null' ? formatless : object), type: member })
    return { anyOf: type.map((member) => withExactScalars(alternative(member))) }
  }
  const copy: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(object)) {
    if (name.startsWith('x-') || annotations.includes(name)) continue
    // openapi-backend takes an object that it meets twice for a cycle, so nothing of the copy is shared.
    if (valueMembers.includes(name)) copy[name] = structuredClone(member)
    else copy[name] = mapMembers.includes(name) ? mapValues(member) : withExactScalars(member)
  }
  const scalar: Record<string, unknown> = {}
  if (scalarTypes.includes(type)) {
    for (const name of ['type', 'format', 'enum', 'const']) lift(copy, scalar, name)
  } else if (type !== undefined && Array.isArray(copy['enum'])) {
    // No value of another type is a bigint, which Ajv could not compile.
    copy['enum'] = copy['enum'].filter((member) => typeof member !== 'bigint')
  }
  for (const name of numericAssertions) {
    // A property may bear the name of a keyword; its value is then a schema, not a number.
    if (typeof object[name] !== 'number' && typeof object[name] !== 'bigint') continue
    // Beside another type the assertion asserts nothing.
    lift(copy, type === undefined || type === 'integer' || type === 'number' ? scalar : {}, name)
  }
  return Object.keys(scalar).length > 0 ? { ...copy, scalar } : copy
}

function mapValues(member: unknown): unknown {
  if (typeof member !== 'object' || member === null || Array.isArray(member)) return withExactScalars(member)
  return Object.fromEntries(Object.entries(member).map(([name, value]) => [name, withExactScalars(value)]))
}

function lift(from: Record<string, unknown>, to: Record<string, unknown>, name: string): void {
  if (!(name in from)) return
  to[name] = from[name]
  // `from` is a copy that has no other user.
  Reflect.deleteProperty(from, name)
}
