import { LineCounter } from 'yaml'
import { MalformedJson, type MemberReader, RefusedJson, isObject, parseJsonWithBigInts } from 'fastify-contract/json'
import type { Finding } from './findings.ts'
import { type Draft, type SourceFile, offsets, origin, originOf } from './node.ts'

/** Limits recursion. Real contracts have about thirty levels. */
export const maxDepth = 200

/** What reading a file found. */
export interface Reading {
  /** Its mapping. Objects and lists have their origin; integers beyond 2^53 are bigints. */
  document: Draft
  /** Every reference outside of extensions, and an object that has it. */
  references: Map<string, object>
  /** The references that were written by identifiers. */
  anchored: Set<string>
  /** Whether a schema has an identifier, an anchor or a dynamic reference. */
  hasIdentifiers: boolean
  /** What other tools may read in another way. */
  warnings: Finding[]
}

/** Whether a member gives a schema an identifier, an anchor or a dynamic reference. */
export function isIdentifier(name: string, value: unknown): boolean {
  return typeof value === 'string' && /^\$(?:self|id|anchor|dynamicAnchor|dynamicRef)$/.test(name)
}

/**
 * Reads JSON, as which the largest contracts are published: the nodes of YAML take many times the memory.
 *
 * @returns what `readYaml` finds; undefined for anything else, which it reads or refuses
 */
export function readJson(name: string, text: string): Reading | undefined {
  const file: SourceFile = { name, text, lines: new LineCounter() }
  const references: Reading['references'] = new Map()
  const inExtensions = new Set<object>()
  let [hasIdentifiers, isRefused] = [false, false]
  const takeMember: MemberReader = (holder, key, value, nameAt, valueAt) => {
    originOf(holder)?.members.set(String(key), nameAt * offsets + valueAt)
    const isData = inExtensions.has(holder)
    if (typeof value === 'object' && value !== null) {
      Object.assign(value, { [origin]: { file, offset: valueAt, members: new Map() } })
      if (isData || String(key).startsWith('x-')) inExtensions.add(value)
    }
    if (isIdentifier(String(key), value)) hasIdentifiers = true
    if (key === '$ref' && typeof value === 'string' && !isData) references.set(value, holder)
    isRefused ||= value === Infinity || value === -Infinity
  }
  const document = parse(text, takeMember)
  if (!isObject(document) || isRefused) return undefined
  file.lines.addNewLine(0)
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) file.lines.addNewLine(at + 1)
  return { document, references, anchored: new Set(), hasIdentifiers, warnings: [] }
}

/** @returns undefined for what is not JSON, or is not taken */
function parse(text: string, takeMember: MemberReader): unknown {
  try {
    return parseJsonWithBigInts(text, maxDepth, takeMember)
  } catch (error) {
    if (error instanceof MalformedJson || error instanceof RefusedJson) return undefined
    throw error
  }
}
