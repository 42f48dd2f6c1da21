import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ContractDocument, type ContractOperation, operationsOf } from 'fastify-contract/document'
import { find, parseJsonWithBigInts } from 'fastify-contract/json'

/** The project's folder, or a folder with a changed contract to which the tests hold the service. */
const folder = process.env['EXPECTED_CONTRACT_FOLDER'] ?? join(import.meta.dirname, '../../../..')

/** The contract that the tests hold the service to, without references; integers beyond 2^53 are bigints. */
export const expectedContract = inlineReferences(
  parseJsonWithBigInts(readFileSync(join(folder, 'generated/contract.json'), 'utf8')),
)

/** Its operations. */
export const expectedOperations: readonly ContractOperation[] = operationsOf(expectedContract)

/** @throws Error when the contract has no such operation */
export function expectedOperation(id: string): ContractOperation {
  const operation = expectedOperations.find((candidate) => candidate.id === id)
  if (operation === undefined) throw new Error(`the contract has no operation ${id}`)
  return operation
}

// `generate` has checked that `Error` has a list of numbers, and as many names.
const { enum: numbers = [], 'x-enum-varnames': names = [] } = (
  expectedContract.components?.schemas?.['Error']?.['properties'] as {
    error: { enum?: number[]; 'x-enum-varnames'?: string[] }
  }
).error

/** The contract's error numbers by their names. */
export const expectedErrors: ReadonlyMap<string, number> = new Map(
  names.map((name, index) => [name, numbers[index] ?? NaN]),
)

/** The number of a failure. @throws Error when the contract has no such failure */
export function errorNumber(name: string): number {
  const number = expectedErrors.get(name)
  if (number === undefined) throw new Error(`the contract has no error number for ${name}`)
  return number
}

/**
 * Replaces every reference by what it refers to, schemas too. A schema that contains itself keeps the reference that
 * leads back.
 *
 * @param document one in which nothing but references has a `$ref`
 * @returns a document in which equal references are one shared object
 */
function inlineReferences(document: unknown): ContractDocument {
  const resolved = new Map<string, unknown>()
  const open = new Set<string>()

  function resolve(reference: string): unknown {
    if (open.has(reference)) return { $ref: reference }
    open.add(reference)
    const target = resolved.get(reference) ?? copy(find(document, reference))
    open.delete(reference)
    resolved.set(reference, target)
    return target
  }

  function copy(node: unknown): unknown {
    if (Array.isArray(node)) return node.map(copy)
    if (typeof node !== 'object' || node === null) return node
    if ('$ref' in node && typeof node.$ref === 'string') {
      const { $ref, description: _description, summary: _summary, ...siblings } = node as Record<string, unknown>
      const target = resolve(String($ref))
      // JSON Schema 2020-12 lets a reference carry more assertions.
      return Object.keys(siblings).length === 0 ? target : { allOf: [target, copy(siblings)] }
    }
    return Object.fromEntries(Object.entries(node).map(([name, member]) => [name, copy(member)]))
  }

  // `generate` has checked its structure.
  return copy(document) as ContractDocument
}
