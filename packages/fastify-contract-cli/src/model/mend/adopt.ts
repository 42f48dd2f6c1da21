import { isObject } from 'fastify-contract/json'
import { contextOf } from './context.ts'
import { declareRequired } from './declare-required.ts'
import { type Draft, origin, originOf } from '../yaml/node.ts'
import { readEvents } from './read-events.ts'
import { hoistTargets, removeBesideReference } from './references.ts'
import type { KeywordContext } from '../rules/keyword.ts'
import { referenceIn } from '../rules/keyword.ts'
import { patternDropper } from './drop-patterns.ts'
import type { Mending } from './mending.ts'
import { verbs } from './verbs.ts'
import { unknownKeyword } from './unknown-keyword.ts'
import { misplaced, shapeProblem } from './shape.ts'
import { heldBy, keywordOf, keywords } from '../table/table.ts'
import { type ContractObject, rootOf, visit } from './visit.ts'

/** Whether a document says that it is OpenAPI 3.0, 3.1 or 3.2. YAML reads `3.0` without quotes as 3. */
export function isSupported({ openapi }: Draft): boolean {
  return /^3(?:\.[012](?:\.\d+.*)?)?$/.test(String(openapi))
}

/**
 * Turns a contract into the form that the server reads: OpenAPI 3.1, in which every operation has a name, every reference
 * leads to a component, and every keyword is enforced or documentation. Changes the document in place, so that its objects
 * keep their places.
 *
 * @param mending a bundled contract of a supported version
 * @param written a copy of its document
 * @returns its objects
 */
export function adopt(mending: Mending, written: Draft): ContractObject[] {
  const { document, attempt } = mending
  const mended = mend(mending)
  attempt(() => {
    readEvents(mended, mending)
  })
  const context = contextOf(mending, mended, written)
  const dropPatterns = patternDropper(mended, mending)
  const adopted: ContractObject[] = []
  // What is in an ignored member is not visited.
  for (const described of visit([rootOf(document)])) {
    adopted.push(described)
    if (described.kind === 'schema')
      attempt(() => {
        dropPatterns(described.object)
      })
    applyKeywords(described, { ...context, role: described.role }, mending)
  }
  for (const { object, kind } of adopted) {
    if (kind === 'header' && !('$ref' in object)) object['schema'] ??= { type: 'string' }
  }
  declareRequired(adopted, mending)
  return adopted
}

/** Writes each object as the server reads it. @returns the objects */
function mend(mending: Mending): ContractObject[] {
  const objects: ContractObject[] = []
  const [visited, hoisted] = [new Set<unknown>(), new Map<unknown, string>()]
  for (let roots = [rootOf(mending.document)]; roots.length > 0;) {
    for (const described of visit(roots, visited)) {
      objects.push(described)
      removeEmpty(described, mending)
      writeBooleanSchemas(described)
      removeBesideReference(described, mending)
      for (const verb of verbs[described.kind] ?? []) verb(described, mending)
    }
    // A target may have references of its own.
    roots = hoistTargets(objects, hoisted, mending)
  }
  return objects
}

/** Writes the schema of a value, and a named one, as an object where it is `true` or `false` (OpenAPI 3.1). */
function writeBooleanSchemas({ object, kind }: ContractObject): void {
  if (kind === 'schema') return
  for (const { kind: of, holder, names } of Object.keys(object).flatMap((key) => heldBy(object, kind, key) ?? []))
    for (const name of of === 'schema' ? names : [])
      if (typeof holder[name] === 'boolean')
        holder[name] = { [origin]: originOf(holder), ...(holder[name] ? {} : { not: {} }) }
}

/** Removes keywords without a value, which YAML reads as null. */
function removeEmpty({ object, kind }: ContractObject, { remove }: Mending): void {
  for (const key of Object.keys(object)) {
    const keyword = keywordOf(kind, key)
    // Null is a value of these, or no statement about access.
    const isKept = /^(?:const|default|example|value|dataValue|security)$/.test(key)
    if (object[key] !== null || isKept || keyword === undefined || typeof keyword.rule === 'object') continue
    remove(object, key, `${key}: has no value, and is ignored; remove it`, 'empty')
  }
}

/**
 * Removes ignored keywords, ignored values of keywords and unknown members of an object, warns of what is only partly
 * enforced, and finds what is rejected, has another form or is missing.
 */
function applyKeywords(described: ContractObject, context: KeywordContext, mending: Mending): void {
  const { object, kind } = described
  for (const key of Object.keys(object)) applyKeyword(described, key, context, mending)
  if ('$ref' in object) return
  for (const [name, { isRequired }] of Object.entries(keywords[kind])) {
    if (isRequired === undefined || name in object) continue
    const text = `${name}: is missing; add it`
    if (isRequired === true) mending.reject({ object }, text)
    else mending.warn({ object }, text, `${kind} without ${name}`)
  }
}

function applyKeyword(
  { object, kind }: ContractObject,
  key: string,
  context: KeywordContext,
  { warn, remove, reject, attempt }: Mending,
): void {
  const keyword = keywordOf(kind, key) ?? unknownKeyword(key, kind)
  const { [key]: value } = object
  const { rule } = keyword
  const found = typeof rule === 'function' ? attempt(() => rule(value, object, context)) : rule
  const [at, of] = [{ object, key }, typeof rule === 'function' ? `${kind}.${key}` : undefined]
  const verdicts = [found].flat().filter((verdict) => verdict !== undefined)
  const ignored = verdicts.find(({ is }) => is === 'ignored')
  if (ignored !== undefined) {
    remove(object, key, `${key}: ${ignored.text}`, of)
    return
  }
  // What only documents may be anything, also what looks like a reference.
  if (keyword.isShown === true && keyword.holds === undefined && referenceIn(value) !== undefined)
    Reflect.deleteProperty(object, key)
  const shape = shapeProblem(keyword, object, key)
  if (shape !== undefined) reject(at, `${key}: ${shape}`)
  for (const { is, text, member } of shape === undefined ? verdicts : []) {
    const place = member === undefined || !isObject(value) ? at : { object: value, key: member }
    if (is === 'rejected') reject(place, `${key}: ${text}`)
    else warn(place, `${key}: ${text}`, of)
  }
  for (const { holder, name, problem } of misplaced(object, kind, key))
    reject({ object: holder, key: name }, `${key}: ${problem}`)
}
