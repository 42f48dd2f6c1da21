import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { contractFile } from '../generate/generate-files.ts'
import { BrokenContract, readOpenApi } from '../generate/read-contract.ts'
import { NoBaseContract, newestRelease, readBaseContract } from './base-contract.ts'
import { type Change, compareContracts } from './compare-contracts.ts'

export interface Judgement {
  /** Whether nothing breaks a client, or what does comes with a new major version. */
  ok: boolean
  /** What a person is told: each change, breaking or safe, and the verdict. */
  lines: string[]
}

/**
 * Says what the changes of openapi.yaml mean for the clients of the service.
 *
 * @param root the project's folder
 * @param ref the commit, branch or tag to compare with; undefined for the newest release tag
 */
export async function judgeChanges(root: string, ref: string | undefined): Promise<Judgement> {
  try {
    const base = ref ?? (await newestRelease(root))
    if (base === undefined)
      return {
        ok: true,
        lines: [
          'there is no release tag vX.Y.Z to compare with; npm run breaking -- --base GIT_REF compares with any commit',
        ],
      }
    const before = await readBaseContract(root, base)
    const after = await readFile(join(root, contractFile), 'utf8')
    const { document } = await readOpenApi(after, contractFile)
    const { changes, version } = await compareContracts(before, after, base)
    return judge(changes, base, version, document.info.version)
  } catch (error) {
    if (!(error instanceof BrokenContract) && !(error instanceof NoBaseContract)) throw error
    return { ok: false, lines: [error.message] }
  }
}

function judge(changes: Change[], base: string, before: string, after: string): Judgement {
  if (changes.length === 0) return { ok: true, lines: [`${contractFile} is that of ${base}`] }
  const breaking = changes.filter((change) => change.breaks)
  const lines = [...breaking, ...changes.filter((change) => !change.breaks)].map(
    ({ breaks, text }) => `${breaks ? 'breaking' : 'safe    '}  ${text}`,
  )
  const count = `compared with ${base}: ${String(breaking.length)} breaking, ${String(changes.length - breaking.length)} safe for clients`
  if (breaking.length === 0) return { ok: true, lines: [...lines, count] }
  if (majorOf(after) > majorOf(before))
    return { ok: true, lines: [...lines, `${count}; info.version went from ${before} to ${after}, a new major`] }
  return {
    ok: false,
    lines: [
      ...lines,
      `${count}; what breaks a client needs a new major info.version, ${String(majorOf(before) + 1)}.0.0, and it is ${after}`,
    ],
  }
}

/** The major number of a semantic version; 0 for what is none. */
function majorOf(version: string): number {
  return Number(/^(\d+)\.\d+\.\d+/.exec(version)?.[1] ?? 0)
}
