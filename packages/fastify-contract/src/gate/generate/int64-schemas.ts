import type { ContractDocument } from '../../document/document.ts'
import { lookUp } from '../../json/pointer.ts'
import { type Schema, isSchema } from '../../schema/schema-parts.ts'

/** The paths to int64 values in a schema, in the form of `generated/client.ts`. */
export type Int64Schema = Record<string, unknown>

/**
 * Reduces schemas to the paths to int64 values. References are kept, so that recursive schemas end.
 *
 * @param document the contract, for its references
 * @returns `of`, which reduces a schema, to `{}` without int64 values; and `referred`, which returns the reduced schemas
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
      // If other properties may be int64, declared ones are listed even without an int64.
      ...reduced(properties, 'additionalProperties' in others),
      ...others,
      ...(leads(items) ? { items: of(items) } : {}),
      ...(all.length === 0
        ? {}
        : { allOf: all.map((each) => ({ ...of(each), ...(alternatives.includes(each) ? when(each) : {}) })) }),
    }
  }

  /** The constant strings of an alternative's properties, which identify it. */
  function when(alternative: unknown): Int64Schema {
    const texts = new Map<string, unknown>()
    const always = new Set([alternative])
    // Iterating a Set includes the members added meanwhile.
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

  /** Whether a schema leads to an int64. Without recursion: a chain may be as long as the contract has schemas. */
  function leads(schema: unknown): boolean {
    const met = new Set([schema])
    let answer = false
    // Iterating a Set includes the members added meanwhile.
    for (const each of met) {
      answer ||= answers.get(each) ?? (isSchema(each) && isInt64(each['type'], each['format']))
      if (answer) break
      if (isSchema(each) && !answers.has(each)) for (const next of schemasAround(each)) met.add(next)
    }
    // Without an int64, none of these leads to one. Otherwise only the first is known to.
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

/** The subschemas that apply to the same value. */
function aboutSameValue({ allOf, anyOf, oneOf }: Schema): unknown[] {
  return [allOf, anyOf, oneOf].flatMap(schemasIn)
}

/** The schemas in the list or map of a keyword. */
function schemasIn(member: unknown): unknown[] {
  return typeof member === 'object' && member !== null ? Object.values(member) : []
}
