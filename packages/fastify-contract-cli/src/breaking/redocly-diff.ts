import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type ContractDocument, methodFields, operationPlaces, operationsIn } from 'fastify-contract/document'
import type { OpenApi } from '../model/read-contract.ts'
import type { Kind } from '../model/rules/keyword.ts'
import { splitMethods } from '../model/mend/split-methods.ts'
import { heldBy } from '../model/table/table.ts'
import { isObject } from '../suite/ground/members.ts'

/** A change in the JSON report of `redocly diff`. */
export interface RedoclyChange {
  /** A JSON pointer through the operations, not the components. */
  path: string
  typeName: string
  kind: 'added' | 'removed' | 'modified'
  impact: 'major' | 'minor' | 'patch'
  verdicts: { ruleId: string; impact: RedoclyChange['impact']; message: string }[]
  property?: string
  base?: Site
  revision?: Site
}

interface Site {
  /** A JSON pointer into the document. */
  pointer: string
  value: unknown
}

/**
 * In KiB, of the 8 MiB of the main thread: Redocly follows references recursively, and a contract may have a thousand
 * schemas that refer to one another.
 */
const stackSize = '--stack-size=3900'
const redocly = join(dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')), 'bin/cli.js')

/**
 * Finds the changes of a contract by the rules of Redocly.
 *
 * @see https://redocly.com/docs/cli/commands/diff
 */
export async function redoclyDiff(before: OpenApi, after: OpenApi): Promise<RedoclyChange[]> {
  const moved = new Set([before, after].flatMap(withOwnServers))
  const [old, current] = [before, after].map((contract) => JSON.stringify(comparable(contract, moved)))
  if (old === current) return []
  const folder = await mkdtemp(join(tmpdir(), 'contracts-'))
  try {
    await writeFile(join(folder, 'before.json'), old!)
    await writeFile(join(folder, 'after.json'), current!)
    await writeFile(join(folder, 'redocly.yaml'), 'extends: [diff-recommended]\ntelemetry: off\n')
    const command = [stackSize, redocly, 'diff', 'before.json', 'after.json', '--format=json', '--fail-on=none']
    const { stdout } = await promisify(execFile)(process.execPath, command, {
      cwd: folder,
      maxBuffer: 2 ** 26,
      env: { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    })
    // The form of this version.
    const { reportVersion, changes } = JSON.parse(stdout) as { reportVersion: string; changes: RedoclyChange[] }
    if (reportVersion !== '1') throw new Error(`redocly diff writes reports of version ${reportVersion}, not 1`)
    return changes
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The operations with servers of their own. */
function withOwnServers({ document: { paths = {} } }: OpenApi): string[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    operationsIn(item).flatMap(({ method, written }) => (written.servers === undefined ? [] : `${method} ${path}`)),
  )
}

/** A path for the responses to unmatched requests, because Redocly ignores extensions. No real path has a space. */
const unmatchedPath = '/ x-unmatched-responses'
const pointerOfUnmatched = '#/paths/~1 x-unmatched-responses/get/responses'

const fields: readonly string[] = methodFields

/** Converts a pointer into a copy for Redocly to one into the contract. */
export function pointerInContract(pointer: string): string {
  if (pointer.startsWith(pointerOfUnmatched))
    return `#/x-unmatched-responses${pointer.slice(pointerOfUnmatched.length)}`
  return pointer.replace(/^(#\/paths\/[^/ ]+) ([^/]+)(?:\/post)?/, (_all, path: string, method: string) => {
    return `${path}/${fields.includes(method) ? method : `additionalOperations/${method.toUpperCase()}`}`
  })
}

/**
 * Copies a contract for Redocly, with the effective security in every operation, and the effective servers in some. A public
 * operation gets one empty alternative. The responses to unmatched requests become those of a separate path.
 */
function comparable({ document }: OpenApi, moved: ReadonlySet<string>): unknown {
  const { security: documentSecurity = [], paths = {}, 'x-unmatched-responses': responses, ...rest } = document
  const unmatched = responses && { [unmatchedPath]: { get: { operationId: unmatchedPath, responses, security: [] } } }
  const items = Object.entries({ ...paths, ...unmatched }).map(([path, item]) => {
    const copy = structuredClone(item)
    for (const { method, written } of operationsIn(copy)) {
      const { security = documentSecurity } = written
      written.security = security.length === 0 ? [{}] : security
      if (moved.has(`${method} ${path}`)) written.servers ??= rest.servers ?? [{ url: '/' }]
    }
    return [path, copy] as const
  })
  const split = Object.entries(splitMethods(Object.fromEntries(items), ' '))
  const served = split.filter(([, item]) => isObject(item) && operationPlaces(item).length > 0)
  return copyForRedocly({ ...rest, paths: Object.fromEntries(served) })
}

/**
 * Copies a document for Redocly, which follows `$ref` even in data and does not support bigints: `$ref` in data is renamed.
 * It also follows the mappings of discriminators, so those that lead nowhere are left out.
 */
function copyForRedocly(document: Record<string, unknown> & Pick<ContractDocument, 'components'>): unknown {
  const { components: { schemas = {} } = {} } = document
  const leadsToSchema = (target: unknown) =>
    typeof target === 'string' && Object.hasOwn(schemas, target.replace('#/components/schemas/', ''))

  /** @param kind of the object; undefined in data */
  function copy(value: unknown, kind?: Kind): unknown {
    if (typeof value === 'bigint') return Number(value)
    if (Array.isArray(value)) return value.map((each) => copy(each, kind))
    if (!isObject(value)) return value
    const members = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
      if (kind === undefined) return [[/^(?:\$ref|externalValue)$/.test(name) ? `${name} ` : name, copy(member)]]
      // Where they are used are copies.
      if (kind === 'components' && name === 'mediaTypes') return []
      if (kind === 'discriminator' && name === 'mapping' && isObject(member))
        return [[name, Object.fromEntries(Object.entries(member).filter(([, target]) => leadsToSchema(target)))]]
      const held = heldBy(value, kind, name)
      // Redocly does not compare it.
      if (name === 'itemSchema') return [['schema', { type: 'array', items: copy(member, held?.kind) }]]
      if (held === undefined || held.holder === value || Array.isArray(member))
        return [[name, copy(member, held?.kind)]]
      return [[name, Object.fromEntries(held.names.map((each) => [each, copy(held.holder[each], held.kind)]))]]
    })
    // It compares no schema with none.
    const hasNoSchema = /Content$/.test(kind ?? '') && !('schema' in value || 'itemSchema' in value || '$ref' in value)
    return { ...(hasNoSchema ? { schema: {} } : {}), ...Object.fromEntries(members) }
  }

  return copy(document, 'document')
}
