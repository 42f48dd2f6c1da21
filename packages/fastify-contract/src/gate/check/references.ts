import { type ContractDocument, isData, maps } from '../../document/document.ts'
import { find, lookUp, unescapeName } from '../../json/pointer.ts'
import { schemasPointer } from '../../schema/schema-parts.ts'
import type { Finding } from './findings.ts'

/** The names of a JSON pointer in a URI fragment, such as `#/paths/~1plants/get` (RFC 6901, section 6). */
export function namesOf(pointer: string): string[] {
  return pointer
    .replace(/^#?\/?/, '')
    .split('/')
    .map(unescapeName)
}

/** The value at a JSON pointer of a document; undefined where there is none. */
export function follow(document: unknown, pointer: string): unknown {
  return namesOf(pointer).reduce(memberOf, document)
}

/** A member of an object or an array; undefined where there is none. */
export function memberOf(value: unknown, name: string): unknown {
  // An object has string keys, and an array's indices are strings, too.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}

/**
 * Follows the references of an object that is not a schema to the object that they lead to. An extension can be null,
 * which has no members.
 */
export function resolve<Node>(document: unknown, node: Node, seen = new Set<string>()): Node {
  // The checks of the structure say which members an object must have.
  if (node === null) return {} as Node
  const reference = (node as { $ref?: unknown } | undefined)?.$ref
  if (typeof reference !== 'string') return node
  if (seen.has(reference)) throw new Error(`the reference ${reference} leads back to itself`)
  seen.add(reference)
  // An object of OpenAPI refers to one of its own kind.
  return resolve(document, find(document, reference) as Node, seen)
}

/**
 * Replaces every local reference by what it refers to, schemas too. A schema that contains itself keeps the reference
 * that leads back.
 *
 * @returns a document in which equal references are one shared object
 */
export function inlineReferences(document: unknown): ContractDocument {
  return replaceReferences(document, {
    standIn: ({ $ref: _reference, ...siblings }, resolve, copy) => {
      const target = resolve()
      const described = Object.keys(siblings).filter((name) => name !== 'description' && name !== 'summary')
      // OpenAPI lets a reference carry a description of its own; JSON Schema 2020-12 lets it carry more assertions.
      return described.length === 0 ? target : { allOf: [target, copy(siblings)] }
    },
    leadingBack: (reference) => ({ $ref: reference }),
  })
}

function hasReference(node: object): node is { $ref: string } {
  return '$ref' in node && typeof node.$ref === 'string'
}

/** What a copy has in place of references. */
interface Replacement {
  /**
   * @param node an object with a reference
   * @param resolve copies what the reference leads to
   * @returns what stands for the object; undefined where it is copied as any other
   */
  standIn: (node: { $ref: string }, resolve: () => unknown, copy: (node: unknown) => unknown) => unknown
  /** What stands for a reference inside of what it refers to. */
  leadingBack: (reference: string) => unknown
}

/**
 * Copies a document with its references replaced, but for those in extensions and in values, which are data.
 *
 * @returns a document in which equal references are one shared object
 */
function replaceReferences(document: unknown, { standIn, leadingBack }: Replacement): ContractDocument {
  const resolved = new Map<string, unknown>()
  const open = new Set<string>()

  function resolve(reference: string): unknown {
    if (resolved.has(reference)) return resolved.get(reference)
    if (open.has(reference)) return leadingBack(reference)
    open.add(reference)
    const target = copy(find(document, reference))
    open.delete(reference)
    resolved.set(reference, target)
    return target
  }

  function copy(node: unknown, isMap = false): unknown {
    if (Array.isArray(node)) return node.map((member) => copy(member))
    if (typeof node !== 'object' || node === null) return node
    const found = hasReference(node) ? standIn(node, () => resolve(node.$ref), copy) : undefined
    if (found !== undefined) return found
    const members = Object.entries(node).map(([name, member]): [string, unknown] => {
      if (!isMap && isData(name, member)) return [name, member]
      return [name, copy(member, !isMap && maps.includes(name))]
    })
    return Object.fromEntries(members)
  }

  // The caller checks the document's structure before or after.
  return copy(document) as ContractDocument
}

/** The most references that lead on to one another. Redocly follows each of them from each. */
const maxChain = 100

/** Finds the references that lead from one to the next and back to the first, and those that cannot be read. */
export function endlessReferences(document: unknown): Finding[] {
  const seen = new Set<unknown>()
  const visit = (node: unknown): Finding[] => {
    if (typeof node !== 'object' || node === null || seen.has(node)) return []
    seen.add(node)
    const at = { object: node, key: '$ref' }
    try {
      const length = lengthOfChain(document, node)
      if (length === Infinity) return [{ at, text: 'the reference leads back to itself; refer to an object' }]
      // Those before it are too long because of it.
      if (length === maxChain + 1) {
        return [{ at, text: `the reference leads on over more than ${String(maxChain)} others; refer to the last` }]
      }
    } catch (error) {
      return [{ at, text: `${error instanceof Error ? error.message : String(error)}; write % as %25` }]
    }
    return Object.values(node).flatMap(visit)
  }
  const endless = visit(document)
  return endless.length > 0 ? endless : containingReferences(document)
}

/** Finds the references, but for those to schemas, that lead to what they stand in. */
function containingReferences(document: unknown): Finding[] {
  const [open, done] = [new Set<string>(), new Set<string>()]
  const visit = (node: unknown): Finding[] => {
    if (typeof node !== 'object' || node === null) return []
    const { $ref: reference } = node as Record<string, unknown>
    if (typeof reference !== 'string') return Object.values(node).flatMap(visit)
    if (open.has(reference)) {
      return [{ at: { object: node, key: '$ref' }, text: 'the reference leads back to what it is in; write it out' }]
    }
    if (done.has(reference) || reference.startsWith(schemasPointer)) return []
    done.add(reference)
    open.add(reference)
    const findings = visit(lookUp(document, reference))
    open.delete(reference)
    return findings
  }
  return visit(document)
}

/** How many references lead on from one: 0 for what is none, Infinity where they lead back. */
function lengthOfChain(document: unknown, reference: object): number {
  const met = new Set<unknown>()
  for (let node: unknown = reference; typeof node === 'object' && node !== null && '$ref' in node;) {
    if (met.has(node)) return Infinity
    met.add(node)
    node = lookUp(document, String(node.$ref))
  }
  return met.size
}
