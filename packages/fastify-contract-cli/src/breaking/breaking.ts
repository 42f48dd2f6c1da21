import { resolve } from 'node:path'
import { printable } from 'fastify-contract/json'
import { BrokenContract, type CommandResult } from '../model/yaml/findings.ts'
import { type OpenApi, readOpenApi } from '../model/read-contract.ts'
import { readSource } from '../model/yaml/read-file.ts'
import { type Impact, compareContracts, impacts } from './compare-contracts.ts'
import { type Releases, findBase, parseVersion } from './releases.ts'

/**
 * Checks that a contract does not break clients of a released one, or has a higher major version. Lists the changes, the
 * breaking ones first.
 *
 * @param wanted a released version or the path of a file; undefined for the newest release
 * @param listsAll whether editorial changes are listed, too; otherwise they are only counted
 */
export async function checkBreaking(
  releases: Releases,
  wanted: string | undefined,
  listsAll = false,
): Promise<CommandResult> {
  const { root, contract } = releases
  const read = (file: string) => readOpenApi(readSource(resolve(root, file), file), resolve(root, file), file)
  try {
    const after = await read(contract)
    const { label, file } = findBase(releases, wanted, versionOf(after))
    const before = await read(file)
    const changes = Map.groupBy(await compareContracts(before, after), ({ impact }) => impact)
    if (changes.size === 0) return { ok: true, lines: [`${contract}: no changes since ${label}`] }
    const of = (impact: Impact) => changes.get(impact) ?? []
    const listed = impacts.filter((impact) => listsAll || impact !== 'editorial').flatMap(of)
    const lines = listed.map(({ impact, text, place }) => `${impact.padEnd(10)}  ${text} (${place})`)
    const counts = impacts.map((impact) => `${String(of(impact).length)} ${impact}`).join(', ')
    const more = changes.has('editorial') && !listsAll ? ' (--all lists them)' : ''
    const { ok, remedy } = versionFor(changes, versionOf(before), versionOf(after), contract)
    return { ok, lines: [...lines, `compared with ${label}: ${counts}${more}${remedy}`] }
  } catch (error) {
    if (!(error instanceof BrokenContract)) throw error
    return { ok: false, lines: [error.message] }
  }
}

function versionOf({ document }: OpenApi): string {
  return printable(document.info.version)
}

/** Whether the version of a contract says what has changed, and what to do. */
function versionFor(changes: ReadonlyMap<Impact, unknown>, before: string, after: string, contract: string) {
  const remedyOf = (version: string) => `set info.version to ${version} in ${contract} (now ${after})`
  if (!changes.has('breaking')) {
    const minor = changes.has('compatible') ? nextMinor(before, after) : undefined
    return { ok: true, remedy: minor === undefined ? '' : `; ${remedyOf(minor)}` }
  }
  if (majorOf(after) > majorOf(before)) {
    return { ok: true, remedy: `; ${after} is a new major version (was ${before})` }
  }
  return { ok: false, remedy: `; undo the breaking changes, or ${remedyOf(`${String(majorOf(before) + 1)}.0.0`)}` }
}

/** The minor version that a compatible change needs; undefined if the contract has it. */
function nextMinor(before: string, after: string): string | undefined {
  const [was, is] = [parseVersion(before), parseVersion(after)]
  if (was === undefined || is === undefined || is[0] > was[0] || (is[0] === was[0] && is[1] > was[1])) return undefined
  return `${String(was[0])}.${String(was[1] + 1)}.0`
}

/** The major version; 0 if the text is not a version. */
function majorOf(version: string): number {
  return parseVersion(version)?.[0] ?? 0
}
