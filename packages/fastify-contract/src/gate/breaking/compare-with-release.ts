import { join } from 'node:path'
import { contractFile } from '../../document/document.ts'
import { UsageError } from '../../../../../scripts/command.ts'
import { BrokenContract } from '../check/findings.ts'
import { readSource } from '../check/read-file.ts'
import { readOpenApi } from '../check/read-contract.ts'
import type { Impact } from './classify-change.ts'
import { type Change, compareContracts } from './compare-contracts.ts'
import { parseVersion, readBaseContract } from './released-contracts.ts'

/** openapi.yaml compared with a contract that clients know. */
export interface Comparison {
  /** What it is compared with: a released version, or a file. */
  base: string
  changes: Change[]
  /** `info.version` of both. */
  versions: { before: string; after: string }
}

/** The result of the check, for a person. */
export interface CheckResult {
  /** Whether no change breaks a client, or the major version is a new one. */
  ok: boolean
  /** Each change, the breaking ones first, then the result with the remedy. */
  lines: string[]
}

/** The order in which changes are listed. */
export const impacts: readonly Impact[] = ['breaking', 'compatible', 'editorial']

/**
 * Compares openapi.yaml with a released contract.
 *
 * @param root the project's folder
 * @param base a released version or the path of a file; undefined for the newest release
 * @throws UsageError when there is nothing to compare with, BrokenContract when a contract cannot be read
 */
export async function compareWithRelease(root: string, base: string | undefined): Promise<Comparison> {
  const { name, file, text } = await readBaseContract(root, base)
  const source = join(root, contractFile)
  const after = await readOpenApi(readSource(source), source)
  return { base: name, ...(await compareContracts(text, after, file)) }
}

/**
 * Checks that openapi.yaml breaks no client of a released contract, or has a higher major version.
 *
 * @param root the project's folder
 * @param base a released version or the path of a file; undefined for the newest release
 */
export async function checkBreaking(root: string, base: string | undefined): Promise<CheckResult> {
  try {
    return resultOf(await compareWithRelease(root, base))
  } catch (error) {
    if (!(error instanceof BrokenContract) && !(error instanceof UsageError)) throw error
    return { ok: false, lines: [error.message] }
  }
}

function resultOf({ base, changes, versions }: Comparison): CheckResult {
  if (changes.length === 0) return { ok: true, lines: [`${contractFile} has no change for clients since ${base}`] }
  const lines = impacts.flatMap((impact) =>
    withImpact(changes, impact).map(({ text, place }) => `${impact.padEnd(10)}  ${text} (${place})`),
  )
  const counts = impacts.map((impact) => `${String(withImpact(changes, impact).length)} ${impact}`)
  const summary = `compared with ${base}: ${counts.join(', ')}`
  if (withImpact(changes, 'breaking').length === 0) return { ok: true, lines: [...lines, summary] }
  const [before, after] = [majorOf(versions.before), majorOf(versions.after)]
  if (after > before)
    return {
      ok: true,
      lines: [...lines, `${summary}; ${versions.after} is a new major version after ${versions.before}`],
    }
  const remedy = `take back what breaks clients, or set info.version to ${String(before + 1)}.0.0 in ${contractFile}`
  return { ok: false, lines: [...lines, `${summary}; ${remedy} (it is ${versions.after})`] }
}

/** The changes of one impact. */
export function withImpact(changes: Change[], impact: Impact): Change[] {
  return changes.filter((change) => change.impact === impact)
}

/** The major number of a version; 0 for what is no version. */
function majorOf(version: string): number {
  return parseVersion(version)?.[0] ?? 0
}
