import type { ContractDocument } from '../../../src/contract/document.ts'
import { find } from '../../../src/json/pointer.ts'

/**
 * Replaces every local reference by what it refers to, schemas too. A schema that contains itself keeps the reference
 * that leads back.
 *
 * @returns a document in which equal references are one shared object
 */
export function inlineReferences(document: unknown): ContractDocument {
  const resolved = new Map<string, unknown>()
  const open = new Set<string>()

  function resolve(reference: string): unknown {
    if (resolved.has(reference)) return resolved.get(reference)
    if (open.has(reference)) return { $ref: reference }
    open.add(reference)
    const target = copy(find(document, reference))
    open.delete(reference)
    resolved.set(reference, target)
    return target
  }

  function copy(node: unknown): unknown {
    if (Array.isArray(node)) return node.map(copy)
    if (typeof node !== 'object' || node === null) return node
    const { $ref: reference, ...siblings } = node as Record<string, unknown>
    if (typeof reference !== 'string') {
      return Object.fromEntries(Object.entries(node).map(([name, member]) => [name, copy(member)]))
    }
    const target = resolve(reference)
    const described = Object.keys(siblings).filter((name) => name !== 'description' && name !== 'summary')
    // OpenAPI lets a reference carry a description of its own; JSON Schema 2020-12 lets it carry more assertions.
    return described.length === 0 ? target : { allOf: [target, copy(siblings)] }
  }

  // The caller checks the document's structure before or after.
  return copy(document) as ContractDocument
}
