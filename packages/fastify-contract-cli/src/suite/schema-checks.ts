import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormatsModule from 'ajv-formats'
import { canonical } from './exact-json.ts'
import { type Schema, createValueChecks, schemasPointer, textFormats } from 'fastify-contract/schema'

// ajv-formats is CommonJS that Node gives whole as the default, while its types speak of the function inside.
const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default

const enforcedFormats = new Set([...Object.keys(textFormats), 'int32', 'int64', 'float', 'double'])

/** `closed` refuses, at every level, properties that no schema describes; `request` and `response` allow them. */
export type CheckKind = 'request' | 'response' | 'closed'

/** Lists the ways in which a JSON value breaks a schema. A bigint beyond 64 bits is no integer. */
export type SchemaChecks = (value: unknown, schema: Schema, kind?: CheckKind) => string[]

/**
 * Makes checks by plain Ajv, which shares no code with a server of fastify-contract. Responses of other servers are also
 * checked by the library.
 *
 * @param schemas the named schemas, to which references lead
 */
export function createSchemaChecks(schemas: Record<string, Schema>): SchemaChecks {
  const exactly = createExactChecks(schemas)
  const validators = new Map<CheckKind, ReturnType<typeof createValidators>>()
  return (value, schema, kind = 'request') => {
    const validatorOf = validators.get(kind) ?? createValidators(schemas, kind)
    validators.set(kind, validatorOf)
    const { validate, errorsText } = validatorOf(schema)
    if (!validate(withNumbers(value))) return [errorsText(validate.errors, { dataVar: '' })]
    return kind === 'response' ? exactly(value, schema) : []
  }
}

/** Makes the library's own checks, which compare integers beyond 2^53 exactly. */
function createExactChecks(schemas: Record<string, Schema>): SchemaChecks {
  const checkOf = createValueChecks(schemas, 'response')
  const checks = new WeakMap<Schema, ReturnType<typeof checkOf>>()
  return (value, schema) => {
    const check = checks.get(schema) ?? checkOf(schema)
    checks.set(schema, check)
    const found = typeof check === 'string' ? undefined : check(value)
    // Other servers may send more than is declared.
    return found === undefined || found.isUndeclared ? [] : [found.problem]
  }
}

function createValidators(schemas: Record<string, Schema>, kind: CheckKind) {
  // 67.74 is a multiple of 0.01, although doubles do not divide so: hence multipleOfPrecision.
  const ajv = new Ajv2020({ strict: false, logger: false, allErrors: true, multipleOfPrecision: 9 })
  addFormats(ajv)
  // What `generate` ignores is ignored here.
  for (const name of Object.keys(ajv.formats)) {
    if (!enforcedFormats.has(name)) ajv.addFormat(name, true)
  }
  const written = writeSchema(schemas, kind)
  const named = Object.entries(schemas).map(([name, schema]) => [name, written(schema, true)])
  ajv.addSchema({ $id: namedSchemas, $defs: Object.fromEntries(named) as unknown })
  const compiled = new WeakMap<Schema, ValidateFunction>()
  /** Compiling is slow, and many parts of a contract are alike. */
  const byText = new Map<string, ValidateFunction>()
  const compile = (schema: Schema) => {
    const whole = written(schema, false) as Schema
    const text = canonical(whole)
    const validate = byText.get(text) ?? ajv.compile(whole)
    byText.set(text, validate)
    return validate
  }
  return (schema: Schema) => {
    const validate = compiled.get(schema) ?? compile(schema)
    compiled.set(schema, validate)
    return { validate, errorsText: ajv.errorsText.bind(ajv) }
  }
}

/** The place in Ajv of the named schemas. */
const namedSchemas = 'contract:/schemas'

/** Makes what writes a schema for Ajv; a part of a combination stays open, because it sees the others' properties. */
function writeSchema(schemas: Record<string, Schema>, kind: CheckKind) {
  function describes(schema: Schema, seen: readonly unknown[] = []): boolean {
    if (['properties', 'allOf', 'anyOf', 'oneOf'].some((keyword) => keyword in schema)) return true
    const { $ref: reference } = schema
    const target = typeof reference === 'string' ? schemas[reference.slice(schemasPointer.length)] : undefined
    return target !== undefined && !seen.includes(target) && describes(target, [...seen, target])
  }

  return function write(schema: unknown, isPart: boolean): unknown {
    if (typeof schema !== 'object' || schema === null) return schema
    const members = Object.entries(schema).map(([keyword, member]): [string, unknown] => {
      switch (keyword) {
        case '$ref':
          return [keyword, String(member).replace(schemasPointer, `${namedSchemas}#/$defs/`)]
        case 'allOf':
        case 'anyOf':
        case 'oneOf':
          return [keyword, (member as unknown[]).map((part) => write(part, true))]
        case 'properties':
          return [keyword, mapped(member as Schema, (part) => write(part, false))]
        case 'items':
        case 'additionalProperties':
          return [keyword, write(member, false)]
        case 'not':
          return [keyword, write(member, true)]
        case 'required':
          return [keyword, kind === 'request' ? member : sentInResponses(member as string[], schema as Schema)]
      }
      return [keyword, withNumbers(member)]
    })
    const isClosed = kind === 'closed' && !isPart && describes(schema as Schema)
    return { ...Object.fromEntries(members), ...(isClosed ? { unevaluatedProperties: false } : {}) }
  }
}

/** A response has no `writeOnly` properties, whatever is required of a request. */
function sentInResponses(required: string[], { properties = {} }: Schema): string[] {
  const described = properties as Record<string, Schema | boolean | undefined>
  return required.filter((name) => {
    const property = described[name]
    return typeof property !== 'object' || property['writeOnly'] !== true
  })
}

/** Ajv knows no bigint. The bounds of one are those of its format. */
function withNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? Number(value) : value
  if (Array.isArray(value)) return value.map(withNumbers)
  return typeof value === 'object' && value !== null ? mapped(value, withNumbers) : value
}

function mapped(object: object, change: (member: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([name, member]) => [name, change(member)]))
}
