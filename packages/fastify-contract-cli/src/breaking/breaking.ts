import { resolve } from 'node:path'
import { printable } from 'fastify-contract/json'
import { BrokenContract, type CommandResult } from '../model/yaml/findings.ts'
import { type OpenApi, readOpenApi } from '../model/read-contract.ts'
import { readSource } from '../model/yaml/read-file.ts'
import { type Change, compareContracts } from './compare-contracts.ts'
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
    const changes = await compareContracts(before, after)
    return resultOf({ contract, label, changes, before: versionOf(before), after: versionOf(after), listsAll })
  } catch (error) {
    if (!(error instanceof BrokenContract)) throw error
    return { ok: false, lines: [error.message] }
  }
}

function versionOf({ document }: OpenApi): string {
  return printable(document.info.version)
}

interface Comparison {
  contract: string
  /** What it is compared with. */
  label: string
  changes: Change[]
  /** The versions of both. */
  before: string
  after: string
  listsAll: boolean
}

function resultOf({ contract, label, changes, before, after, listsAll }: Comparison): CommandResult {
  if (changes.length === 0) return { ok: true, lines: [`${contract}: no changes since ${label}`] }
  const changesByImpact = (['breaking', 'compatible', 'editorial'] as const).map(
    (impact) => [impact, changes.filter((change) => change.impact === impact)] as const,
  )
  const listed = changesByImpact.filter(([impact]) => listsAll || impact !== 'editorial')
  const lines = listed.flatMap(([impact, found]) =>
    found.map(({ text, place }) => `${impact.padEnd(10)}  ${text} (${place})`),
  )
  const isShort = changesByImpact.some(([impact, found]) => impact === 'editorial' && found.length > 0 && !listsAll)
  const counts =
    changesByImpact.map(([impact, found]) => `${String(found.length)} ${impact}`).join(', ') +
    (isShort ? ' (--all lists them)' : '')
  const summary = `compared with ${label}: ${counts}`
  if (!changes.some(({ impact }) => impact === 'breaking')) {
    const minor = changes.some(({ impact }) => impact === 'compatible') ? nextMinor(before, after) : undefined
    const remedy = minor === undefined ? '' : `; set info.version to ${minor} in ${contract} (now ${after})`
    return { ok: true, lines: [...lines, summary + remedy] }
  }
  if (majorOf(after) > majorOf(before)) {
    return { ok: true, lines: [...lines, `${summary}; ${after} is a new major version (was ${before})`] }
  }
  const next = `${String(majorOf(before) + 1)}.0.0`
  const remedy = `undo the breaking changes, or set info.version to ${next} in ${contract} (now ${after})`
  return { ok: false, lines: [...lines, `${summary}; ${remedy}`] }
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
