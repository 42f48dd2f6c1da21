import { type Schema, inPlace, isSchema, targetOf } from '../../../../src/schema/schema-parts.ts'
import type { Finding } from '../findings.ts'
import { words } from './openapi-words.ts'
import type { Kind, Word, WordContext } from './verdicts.ts'

/**
 * Finds each word of a contract that is refused, each value that is refused of a word, and each member that is no word.
 *
 * @param document a bundled contract, whose structure need not be right
 */
export function checkWords(document: Record<string, unknown>): Finding[] {
  const components = isSchema(document['components']) ? document['components'] : {}
  // Only schema objects are followed, whatever else stands there.
  const schemas = (isSchema(components['schemas']) ? components['schemas'] : {}) as Record<string, Schema>
  return new WordCheck(schemas).check(document, 'document', 'other')
}

type Role = WordContext['role']

class WordCheck {
  readonly #schemas: Record<string, Schema>
  /** An alias of YAML makes one object stand in several places. */
  readonly #checked = new Set<unknown>()

  constructor(schemas: Record<string, Schema>) {
    this.#schemas = schemas
  }

  check(object: unknown, kind: Kind, role: Role): Finding[] {
    if (!isSchema(object) || this.#checked.has(object)) return []
    this.#checked.add(object)
    return Object.entries(object).flatMap(([name, value]) => {
      const word = wordOf(kind, name)
      if (word === undefined) {
        return name.startsWith('x-')
          ? []
          : [{ at: { object, key: name }, text: `${name} is no word of ${article(kind)}` }]
      }
      const reason = word.verdict === 'refused' ? word.text : this.#refusal(word, value, object, role)
      const own = reason === undefined ? [] : [{ at: { object, key: name }, text: `${name}: ${reason}` }]
      return [...own, ...this.#inside(word, value, kind, name, role)]
    })
  }

  #refusal({ refuses }: Word, value: unknown, object: Schema, role: Role): string | undefined {
    try {
      return refuses?.(value, object, { schemas: this.#schemas, role })
    } catch {
      // The structure is wrong, or a reference leads to nothing; either is reported as such.
      return undefined
    }
  }

  #inside({ holds }: Word, value: unknown, kind: Kind, name: string, role: Role): Finding[] {
    if (holds === undefined) return []
    if (typeof holds === 'string') {
      const found = this.check(value, holds, roleOf(kind, name, role))
      return isValue(holds, kind, name) ? [...found, ...this.#undeclared(value)] : found
    }
    const each = Array.isArray(holds) ? holds[0] : holds.each
    const members = Object.values(isSchema(value) || Array.isArray(value) ? value : {})
    return members.flatMap((member) => [
      ...this.check(member, each, roleOf(kind, name, role)),
      ...(isValue(each, kind, name) ? this.#undeclared(member) : []),
    ])
  }

  /** Finds the properties that the schema of a value requires and that none of its schemas declares. */
  #undeclared(schema: unknown): Finding[] {
    if (!isSchema(schema)) return []
    try {
      const all = inPlace(schema, this.#schemas)
      const names = all.flatMap(({ properties }) => Object.keys(isSchema(properties) ? properties : {}))
      if (names.length === 0 || all.some((each) => openings.some((word) => word in each))) return []
      return alwaysInPlace(schema, this.#schemas).flatMap((object) => {
        const required = Array.isArray(object['required']) ? (object['required'] as unknown[]) : []
        const undeclared = required.find((name) => typeof name === 'string' && !names.includes(name))
        const text = `required: ${String(undeclared)} is not among the properties, the only ones of a reply; add it`
        return undeclared === undefined ? [] : [{ at: { object, key: 'required' }, text }]
      })
    } catch {
      // A reference leads to nothing, which is reported as such.
      return []
    }
  }
}

/** Words that let an object have properties that it does not name. */
const openings = ['additionalProperties', 'patternProperties', 'unevaluatedProperties']
const sameValue = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas']

/** Whether what a word holds is the whole schema of a value. A named schema may be a part of others. */
function isValue(held: Kind, kind: Kind, name: string): boolean {
  return held === 'schema' && kind !== 'components' && !(kind === 'schema' && sameValue.includes(name))
}

/** A schema, and those that always apply with it: through `$ref` and `allOf`. */
function alwaysInPlace(schema: Schema, schemas: Record<string, Schema>, met = new Set<Schema>()): Schema[] {
  if (met.has(schema)) return []
  met.add(schema)
  const { allOf = [] } = schema as { allOf?: unknown[] }
  const next = [targetOf(schema, schemas), ...allOf].filter(isSchema)
  return [schema, ...next.flatMap((each) => alwaysInPlace(each, schemas, met))]
}

function wordOf(kind: Kind, name: string): Word | undefined {
  const ofKind = words[kind]
  return Object.hasOwn(ofKind, name) ? ofKind[name] : ofKind['*']
}

/** The role of the schemas that a word holds. */
function roleOf(kind: Kind, name: string, role: Role): Role {
  if (kind === 'components') return 'named'
  if (kind === 'parameter') return 'parameter'
  if (kind !== 'schema') return 'other'
  // allOf applies to the same property.
  return name === 'properties' ? 'property' : name === 'allOf' ? role : 'other'
}

function article(kind: Kind): string {
  return kind === 'document'
    ? 'an OpenAPI document'
    : `a ${kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`
}
