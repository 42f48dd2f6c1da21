import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { contractFile } from '../../document/document.ts'
import { UsageError } from '../../../../../scripts/command.ts'
import { RefusedFile, readRegularFile } from '../check/read-file.ts'

/** The folder that keeps the contract of each release, in the project's folder. */
export const releasesFolder = 'docs/releases'

/** A semantic version X.Y.Z, without pre-release and build (https://semver.org). */
export type Version = readonly [major: number, minor: number, patch: number]

/** What a contract is compared with. */
export interface BaseContract {
  /** What people call it: a version, or a file. */
  name: string
  /** Its file, from the project's folder. */
  file: string
  text: string
}

/** Reads X.Y.Z or vX.Y.Z; undefined where the text is no such version. */
export function parseVersion(text: string): Version | undefined {
  const numbers = /^v?(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/.exec(text)?.slice(1).map(Number)
  // The expression has three groups.
  return numbers as [number, number, number] | undefined
}

/** Below zero where `a` is the older version, above where it is the newer one. */
export function compareVersions(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2]
}

/** The file that keeps the contract of a release, from the project's folder. */
export function releasedFile(version: Version): string {
  return `${releasesFolder}/openapi-${version.join('.')}.yaml`
}

/**
 * The newest release whose contract is kept.
 *
 * @param root the project's folder
 * @throws UsageError when none is kept
 */
export async function newestRelease(root: string): Promise<Version> {
  const newest = (await keptReleases(root)).at(-1)
  if (newest !== undefined) return newest
  throw new UsageError(
    `${releasesFolder}/ has no released contract to compare with. ` +
      `Restore it with "git checkout -- ${releasesFolder}". ` +
      `Before the first release: cp ${contractFile} ${releasedFile([1, 0, 0])}`,
  )
}

/**
 * Reads the contract to compare with.
 *
 * @param root the project's folder
 * @param name a released version or the path of a file; undefined for the newest release
 * @throws UsageError when it is not there
 */
export async function readBaseContract(root: string, name: string | undefined): Promise<BaseContract> {
  const version = name === undefined ? await newestRelease(root) : parseVersion(name)
  // No version is undefined only where a name was given.
  const [label, file] = version === undefined ? [name!, name!] : [version.join('.'), releasedFile(version)]
  try {
    return { name: label, file, text: readRegularFile(resolve(root, file)).toString() }
  } catch (error) {
    if (error instanceof RefusedFile) throw new UsageError(`${file} ${error.message}`, { cause: error })
    if (version === undefined)
      throw new UsageError(`cannot read ${file} (${String((error as NodeJS.ErrnoException).code)})`, { cause: error })
    const kept = (await keptReleases(root)).map((each) => each.join('.')).join(', ')
    throw new UsageError(`there is no ${file}; ${releasesFolder}/ has ${kept === '' ? 'none' : kept}`, { cause: error })
  }
}

/** The releases whose contract is kept, the oldest first. */
async function keptReleases(root: string): Promise<Version[]> {
  const names = await readdir(join(root, releasesFolder)).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  })
  return names
    .map((name) => parseVersion(/^openapi-(\d.*)\.yaml$/.exec(name)?.[1] ?? ''))
    .filter((version) => version !== undefined)
    .toSorted(compareVersions)
}
