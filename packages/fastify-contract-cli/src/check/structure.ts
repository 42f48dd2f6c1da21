import { BaseResolver, Source, createConfig, lintDocument } from '@redocly/openapi-core'
import { isSchema } from 'fastify-contract/schema'
import { BrokenContract } from './findings.ts'
import type { Kind } from '../keywords/keyword.ts'
import { heldBy, isUnsupported } from '../keywords/objects.ts'

/** A problem found by Redocly. */
export interface StructureProblem {
  rule: string
  /** A JSON pointer, in a URI fragment. */
  pointer: string
  text: string
}

/** The checked rules, with the remedies that the messages of Redocly lack. */
const remedies: Record<string, string> = {
  struct: '',
  'no-identical-paths': '; choose another path',
}

/**
 * Finds violations of the structure of OpenAPI 3.1: missing or surplus members, values of the wrong type, and two paths
 * that are one route. Does not follow references, and does not look into unsupported members.
 *
 * @param document a bundled contract
 * @see https://redocly.com/docs/cli/rules/built-in-rules
 */
export async function structureProblems(document: Record<string, unknown>): Promise<StructureProblem[]> {
  const rules = Object.fromEntries(Object.keys(remedies).map((rule) => [rule, 'error' as const]))
  const config = await createConfig({ rules })
  const copy = { source: new Source('openapi.yaml', ''), parsed: copyForRedocly(document, 'nowhere') }
  const problems = await lintDocument({ document: copy, externalRefResolver: new BaseResolver(), config }).catch(
    (error: unknown) => {
      // A reference where OpenAPI has none, such as among the paths.
      if (!(error instanceof Error) || error instanceof RangeError || error instanceof TypeError) throw error
      throw new BrokenContract([
        `openapi.yaml: the structure cannot be read (${error.message}); correct the references`,
      ])
    },
  )
  return problems.map(({ ruleId, message, location: [first] }) => ({
    rule: ruleId,
    pointer: pointerInContract(first?.pointer ?? '#/'),
    text: message.split('\n', 1).join().replace(/\.$/, '') + (remedies[ruleId] ?? ''),
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
 * @param references whether references of objects are kept or lead nowhere
 */
export function copyForRedocly(
  document: Record<string, unknown>,
  references: 'as written' | 'nowhere',
): Record<string, unknown> {
  const isCompared = references === 'as written'
  const unread = { $ref: '#/x-nowhere' }
  const nowhere = (kind: Kind) => (kind === 'schema' ? {} : unread)
  const open = new Set<unknown>()

  function copy(value: unknown, kind: Kind): unknown {
    if (!isSchema(value)) return copyOfData(value)
    // Files may refer to one another in a circle.
    if (open.has(value)) throw new RangeError('the object contains itself')
    open.add(value)
    const members = Object.keys(value).flatMap((name) => {
      if (name === '$ref' && !isCompared) return Object.entries(nowhere(kind))
      if (!isCompared && isUnsupported(kind, name)) return [[name, unread] as const]
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
