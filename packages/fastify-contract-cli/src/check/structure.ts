import { BaseResolver, Source, createConfig, lintDocument } from '@redocly/openapi-core'
import { isSchema } from 'fastify-contract/schema'
import { BrokenContract } from './findings.ts'
import type { Keyword, Kind } from '../keywords/keyword.ts'
import { heldBy, keywordOf } from '../keywords/objects.ts'

/** A problem found by Redocly. */
export interface StructureProblem {
  /** A JSON pointer, in a URI fragment. */
  pointer: string
  text: string
}

/** What documents an object that must have it. Nothing but the docs page reads it. */
const missingDocumentation = /^The field `(?:description|flows|openIdConnectUrl)` must be present/

/**
 * Finds violations of the structure of OpenAPI 3.1: missing or surplus members, values of the wrong type, and two paths
 * that are one route. Does not follow references, and does not look into what only documents the contract.
 *
 * @param document an adopted contract
 * @see https://redocly.com/docs/cli/rules/built-in-rules
 */
export async function structureProblems(document: Record<string, unknown>): Promise<StructureProblem[]> {
  const config = await createConfig({ rules: { struct: 'error', 'no-identical-paths': 'error' } })
  const copy = { source: new Source('openapi.yaml', ''), parsed: copyForRedocly(document, 'nowhere') }
  const found = await lintDocument({ document: copy, externalRefResolver: new BaseResolver(), config }).catch(
    (error: unknown) => {
      // A reference where OpenAPI has none, such as among the paths.
      if (!(error instanceof Error) || error instanceof RangeError || error instanceof TypeError) throw error
      throw new BrokenContract([
        `openapi.yaml: the structure cannot be read (${error.message}); correct the references`,
      ])
    },
  )
  const problems = found.filter(({ message }) => !missingDocumentation.test(message))
  return problems.map(({ ruleId, message, location: [first] }) => ({
    pointer: pointerInContract(first?.pointer ?? '#/'),
    text: message.split('\n', 1).join().replace(/\.$/, '') + (ruleId === 'struct' ? '' : '; choose another path'),
  }))
}

/** A path for the responses to unmatched requests, because Redocly ignores extensions. No real path has a space. */
const unmatchedPath = '/ x-unmatched-responses'
const pointerOfUnmatched = '#/paths/~1 x-unmatched-responses/get/responses'

/** Converts a pointer into a copy for Redocly to one into the contract. */
export function pointerInContract(pointer: string): string {
  return pointer.startsWith(pointerOfUnmatched)
    ? `#/x-unmatched-responses${pointer.slice(pointerOfUnmatched.length)}`
    : pointer
}

/**
 * Copies a contract for Redocly, which follows `$ref` even in data and does not support bigints: `$ref` in data is renamed.
 * The responses to unmatched requests become those of a separate path.
 *
 * @param references whether references of objects are kept or lead nowhere; then documentation is left out
 */
export function copyForRedocly(
  document: Record<string, unknown>,
  references: 'as written' | 'nowhere',
): Record<string, unknown> {
  const isCompared = references === 'as written'
  const nowhere = (kind: Kind) => (kind === 'schema' ? {} : { $ref: '#/x-nowhere' })
  const open = new Set<unknown>()

  function copy(value: unknown, kind: Kind): unknown {
    if (!isSchema(value)) return copyOfData(value)
    // Files may refer to one another in a circle.
    if (open.has(value)) throw new RangeError('the object contains itself')
    open.add(value)
    const members = Object.keys(value).flatMap((name) => {
      if (name === '$ref' && !isCompared) return Object.entries(nowhere(kind))
      if (!isCompared && isUnread(kind, name)) return []
      const held = heldBy(value, kind, name)
      if (held === undefined) return [[name, copyOfData(value[name])] as const]
      if (held.holder === value) return [[name, copy(value[name], held.kind)] as const]
      const inside = held.names.map((each) => [each, copy(held.holder[each], held.kind)] as const)
      if (Array.isArray(value[name])) return [[name, inside.map(([, each]) => each)] as const]
      return [[name, isSchema(value[name]) ? Object.fromEntries(inside) : copyOfData(value[name])] as const]
    })
    open.delete(value)
    return Object.fromEntries(members)
  }

  // A document is an object.
  const { 'x-unmatched-responses': responses, ...rest } = copy(document, 'document') as Record<string, unknown>
  const { paths } = rest
  if (responses === undefined || !isSchema(paths)) return rest
  return {
    ...rest,
    paths: { ...paths, [unmatchedPath]: { get: { operationId: unmatchedPath, responses, security: [] } } },
  }
}

/** Whether a member only documents the contract, or is rejected with any value. */
function isUnread(kind: Kind, name: string): boolean {
  const { isShown, rejects }: Keyword = keywordOf(kind, name) ?? { isShown: true }
  return (isShown === true && name !== 'x-unmatched-responses') || typeof rejects === 'string'
}

/** Copies data without bigints, and renames members that look like references. */
function copyOfData(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(copyOfData)
  if (!isSchema(value)) return value
  const members = Object.entries(value).map(([name, member]): [string, unknown] => [
    /^(?:\$ref|externalValue)$/.test(name) ? `${name} ` : name,
    copyOfData(member),
  ])
  return Object.fromEntries(members)
}
