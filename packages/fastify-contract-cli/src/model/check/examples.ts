import { type ContractDocument, isJson, isText } from 'fastify-contract/document'
import { find } from 'fastify-contract/json'
import { type Direction, createValueChecks, isSchema } from 'fastify-contract/schema'
import type { Finding } from '../yaml/findings.ts'
import type { ContractObject } from '../mend/visit.ts'
import { asSchema } from '../rules/as-schema.ts'
import { quoted } from '../rules/keyword.ts'

/** The direction of values beside their schema, by the kind of their object. */
const directions: Partial<Record<ContractObject['kind'], Direction>> = {
  parameter: 'request',
  requestContent: 'request',
  header: 'response',
  responseContent: 'response',
}

/**
 * Removes examples and defaults that break their schemas.
 *
 * @param objects those of an adopted contract with a checked structure
 * @returns a warning for each
 */
export function removeBrokenValues(objects: readonly ContractObject[], document: ContractDocument): Finding[] {
  const schemas = document.components?.schemas ?? {}
  const checkOf = {
    request: createValueChecks(schemas, 'request'),
    response: createValueChecks(schemas, 'response'),
    neither: createValueChecks(schemas, undefined),
  }
  return objects.flatMap((described) => {
    const { schema, values, direction } = exampledOf(described, document)
    if (values.length === 0) return []
    // Compiling is slow: only schemas with values are.
    const check = checkOf[direction](asSchema(schema))
    // A schema that cannot be compiled is refused elsewhere.
    if (typeof check === 'string') return []
    return values.flatMap(({ holder, key, value, at }): Finding[] => {
      const found = check(value)
      if (found === undefined) return []
      Reflect.deleteProperty(holder, key)
      const [noun, is] = key === 'default' ? ['default', 'is not applied'] : ['example', 'is ignored']
      const remedy = found.isUndeclared
        ? 'declare it in the schema, or remove it'
        : / a string\b/.test(found.problem)
          ? quoted(value)
          : 'correct it'
      return [{ at, text: `the ${noun} ${found.problem}, and ${is}; ${remedy}`, kind: `broken ${noun}` }]
    })
  })
}

/** A value beside or inside its schema. */
interface HeldValue {
  holder: object
  key: string
  value: unknown
  at: Finding['at']
}

/** The examples and the default that an object has for its schema. */
function exampledOf({ object, kind, name }: ContractObject, document: ContractDocument) {
  const direction = directions[kind]
  const { examples, example, default: value } = object
  const own = (key: string, each: unknown): HeldValue[] =>
    each === undefined ? [] : [{ holder: object, key, value: each, at: { object, key } }]
  if (kind === 'schema') {
    const listed: unknown[] = Array.isArray(examples) ? examples : []
    const listedExamples = listed.flatMap((each) => own('examples', each))
    return {
      schema: object,
      values: [...listedExamples, ...own('example', example), ...own('default', value)],
      direction: 'neither',
    } as const
  }
  // An example of binary content is text.
  const isBytes = /Content$/.test(kind) && !isJson(name) && !isText(name)
  const { schema } = object
  if (direction === undefined || isBytes || !isSchema(schema))
    return { schema, values: [], direction: 'neither' } as const
  const named = Object.values((examples ?? {}) as Record<string, { $ref?: unknown; value?: unknown }>)
  const namedExamples = named.flatMap((written): HeldValue[] => {
    // It is checked wherever it is used.
    const each = exampleOf(document, written)
    return 'value' in each
      ? [{ holder: each, key: 'value', value: each.value, at: { object: each, key: 'value' } }]
      : []
  })
  return { schema, values: [...namedExamples, ...own('example', example)], direction }
}

/** Follows the references of an example. */
function exampleOf(document: unknown, written: { $ref?: unknown; value?: unknown }): { value?: unknown } {
  const { $ref: reference } = written
  // The structure and the references are checked.
  return typeof reference === 'string' ? exampleOf(document, find(document, reference) as object) : written
}
