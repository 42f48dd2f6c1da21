import { existsSync, readdirSync } from 'node:fs'
import { basename, extname, resolve } from 'node:path'
import { BrokenContract } from '../model/yaml/findings.ts'

/** A semantic version X.Y.Z, without pre-release and build (https://semver.org). */
export type Version = readonly [major: number, minor: number, patch: number]

/** Parses X.Y.Z or vX.Y.Z; undefined for any other text. */
export function parseVersion(text: string): Version | undefined {
  const [, major, minor, patch] = /^v?(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/.exec(text) ?? []
  return patch === undefined ? undefined : [Number(major), Number(minor), Number(patch)]
}

/** The released contracts: `FOLDER/openapi-X.Y.Z.yaml` for the contract `openapi.yaml`. */
export interface Releases {
  root: string
  contract: string
  /** Relative to the root. */
  folder: string
}

/**
 * Finds the contract to compare with.
 *
 * @param wanted a released version or the path of a file; undefined for the newest release
 * @param current the version of the contract that is compared
 * @returns its label, and its file relative to the root
 * @throws BrokenContract if there is no such release
 */
export function findBase(
  releases: Releases,
  wanted: string | undefined,
  current: string,
): { label: string; file: string } {
  const { folder, contract } = releases
  const kept = keptReleases(releases)
  const version = wanted === undefined ? kept.at(-1) : parseVersion(wanted)
  if (version === undefined && wanted !== undefined) return { label: wanted, file: wanted }
  if (version === undefined) {
    throw new BrokenContract([
      `${folder}/ has no released contract; for the first release, run: mkdir -p ${folder} && cp ${contract} ` +
        `${fileOf(releases, parseVersion(current) ?? [1, 0, 0])}; otherwise restore it: git checkout -- ${folder}`,
    ])
  }
  const [label, file] = [version.join('.'), fileOf(releases, version)]
  if (kept.some((each) => each.join('.') === label)) return { label, file }
  const list = kept.map((each) => each.join('.')).join(', ')
  throw new BrokenContract([`${file} does not exist; ${folder}/ has ${list === '' ? 'no release' : list}`])
}

function fileOf({ folder, contract }: Releases, version: Version): string {
  const extension = extname(contract)
  return `${folder}/${basename(contract, extension)}-${version.join('.')}${extension}`
}

/** The releases, the oldest first. */
function keptReleases(releases: Releases): Version[] {
  const folder = resolve(releases.root, releases.folder)
  const names = existsSync(folder) ? readdirSync(folder) : []
  return names
    .map((name) => parseVersion(/-(\d+\.\d+\.\d+)\.\w+$/.exec(name)?.[1] ?? ''))
    .filter((version) => version !== undefined)
    .filter((version) => names.includes(basename(fileOf(releases, version))))
    .toSorted((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2])
}
