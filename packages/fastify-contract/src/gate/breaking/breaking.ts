import { resolve } from 'node:path'
import { BrokenContract } from '../check/findings.ts'
import { readOpenApi } from '../check/read-contract.ts'
import { readSource } from '../check/read-file.ts'
import { type Change, compareContracts } from './compare-contracts.ts'
import { type Releases, findBase, parseVersion } from './releases.ts'

/** The result of the check, for a person. */
export interface BreakingResult {
  /** Whether no change breaks a client, or the major version is a new one. */
  ok: boolean
  /** Each change, the breaking ones first, then the result with the remedy. */
  lines: string[]
}

/**
 * Checks that a contract breaks no client of a released one, or has a higher major version.
 *
 * @param wanted a released version or the path of a file; undefined for the newest release
 */
export async function checkBreaking(releases: Releases, wanted: string | undefined): Promise<BreakingResult> {
  const { root, contract } = releases
  const read = (file: string) => readOpenApi(readSource(resolve(root, file), file), resolve(root, file), file)
  try {
    const { label, file } = findBase(releases, wanted)
    const [before, after] = [await read(file), await read(contract)]
    return resultOf(contract, label, await compareContracts(before, after))
  } catch (error) {
    if (!(error instanceof BrokenContract)) throw error
    return { ok: false, lines: [error.message] }
  }
}

function resultOf(
  contract: string,
  label: string,
  { changes, versions }: Awaited<ReturnType<typeof compareContracts>>,
): BreakingResult {
  if (changes.length === 0) return { ok: true, lines: [`${contract} has no change for clients since ${label}`] }
  const ofImpact = (['breaking', 'compatible', 'editorial'] as const).map(
    (impact) => [impact, changes.filter((change) => change.impact === impact)] as const,
  )
  const lines = ofImpact.flatMap(([impact, found]) => found.map((change) => `${impact.padEnd(10)}  ${inWords(change)}`))
  const counts = ofImpact.map(([impact, found]) => `${String(found.length)} ${impact}`).join(', ')
  const summary = `compared with ${label}: ${counts}`
  if (!changes.some(({ impact }) => impact === 'breaking')) return { ok: true, lines: [...lines, summary] }
  const [before, after] = [majorOf(versions.before), majorOf(versions.after)]
  if (after > before) {
    const reason = `${versions.after} is a new major version after ${versions.before}`
    return { ok: true, lines: [...lines, `${summary}; ${reason}`] }
  }
  const remedy = `take back what breaks clients, or set info.version to ${String(before + 1)}.0.0 in ${contract}`
  return { ok: false, lines: [...lines, `${summary}; ${remedy} (it is ${versions.after})`] }
}

function inWords({ text, place }: Change): string {
  return `${text} (${place})`
}

/** The major number of a version; 0 for what is no version. */
function majorOf(version: string): number {
  return parseVersion(version)?.[0] ?? 0
}
