import type { ContractDocument } from '../../document/document.ts'
import { lookUp } from '../../json/pointer.ts'
import { type Schema, isSchema } from '../../schema/schema-parts.ts'

/** The parts of a schema that lead to an int64, as `generated/client.ts` declares them. */
export type Int64Schema = Record<string, unknown>

/**
 * Makes what reduces schemas to the parts that lead to an int64. References stay, so that a recursive schema ends.
 *
 * @param document the contract that the references lead into
 * @returns `of`, which reduces a schema, to `{}` where it has no int64; and `referred`, which gives the reduced schemas
 *   that the results so far refer to, by reference
 */
export function createInt64Schemas(document: ContractDocument) {
  const referred = new Map<string, Int64Schema>()
  const pending: string[] = []
  const answers = new Map<unknown, boolean>()

  function of(schema: unknown): Int64Schema {
    if (!isSchema(schema) || !leads(schema)) return {}
    const { $ref, type, format, properties, additionalProperties, items } = schema
    const alternatives = [schema['anyOf'], schema['oneOf']].flatMap(schemasIn)
    const all = aboutSameValue(schema).filter(leads)
    const others = leads(additionalProperties) ? { additionalProperties: of(additionalProperties) } : {}
    return {
      ...(isInt64(type, format) ? { format } : {}),
      ...(typeof $ref === 'string' && leads(lookUp(document, $ref)) ? { $ref: refer($ref) } : {}),
      // A property without an int64 is named where those that are not named have one.
      ...reduced(properties, 'additionalProperties' in others),
      ...others,
      ...(leads(items) ? { items: of(items) } : {}),
      ...(all.length === 0
        ? {}
        : { allOf: all.map((each) => ({ ...of(each), ...(alternatives.includes(each) ? when(each) : {}) })) }),
    }
  }

  /** What tells an alternative apart: the texts that its properties can have. */
  function when(alternative: unknown): Int64Schema {
    const texts = new Map<string, unknown>()
    const always = new Set([alternative])
    // A set that grows while it is walked is walked to its end.
    for (const schema of always) {
      if (!isSchema(schema)) continue
      const { $ref, allOf, properties } = schema
      for (const next of [typeof $ref === 'string' ? lookUp(document, $ref) : undefined, ...schemasIn(allOf)])
        always.add(next)
      for (const [name, property] of Object.entries(isSchema(properties) ? properties : {})) {
        const { const: only, enum: listed = [only] } = isSchema(property) ? property : {}
        const isText = Array.isArray(listed) && listed.every((member) => typeof member === 'string')
        if (isText) texts.set(name, listed)
      }
    }
    return texts.size === 0 ? {} : { when: Object.fromEntries(texts) }
  }

  function reduced(properties: unknown, isNamed: boolean): Int64Schema {
    if (!isSchema(properties)) return {}
    const kept = Object.entries(properties).filter(([, schema]) => isNamed || leads(schema))
    return kept.length === 0 ? {} : { properties: Object.fromEntries(kept.map(([name, schema]) => [name, of(schema)])) }
  }

  function refer(reference: string): string {
    if (!referred.has(reference)) {
      referred.set(reference, {})
      pending.push(reference)
    }
    return reference
  }

  /** Without recursion, because as many schemas may lead on as the contract has. */
  function leads(schema: unknown): boolean {
    const met = new Set([schema])
    let answer = false
    // A set that grows while it is walked is walked to its end.
    for (const each of met) {
      answer ||= answers.get(each) ?? (isSchema(each) && isInt64(each['type'], each['format']))
      if (answer) break
      if (isSchema(each) && !answers.has(each)) for (const next of schemasAround(each)) met.add(next)
    }
    // What was met on the way to none leads to none. Of the others, this one alone is known to lead to one.
    for (const each of answer ? [schema] : met) answers.set(each, answer)
    return answer
  }

  function schemasAround(schema: Schema): unknown[] {
    const { $ref, properties, additionalProperties, items } = schema
    const target = typeof $ref === 'string' ? lookUp(document, $ref) : undefined
    return [target, additionalProperties, items, ...schemasIn(properties), ...aboutSameValue(schema)]
  }

  function reduceReferred(): [string, Int64Schema][] {
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      referred.set(next, of(lookUp(document, next)))
    }
    return [...referred]
  }

  return { of, referred: reduceReferred }
}

function isInt64(type: unknown, format: unknown): boolean {
  return format === 'int64' && [type].flat().includes('integer')
}

/** The schemas in a schema that are about the same value as itself. */
function aboutSameValue({ allOf, anyOf, oneOf }: Schema): unknown[] {
  return [allOf, anyOf, oneOf].flatMap(schemasIn)
}

/** The schemas of a keyword, whose value is a list or a map of them. */
function schemasIn(member: unknown): unknown[] {
  return typeof member === 'object' && member !== null ? Object.values(member) : []
}
