import { existsSync, lstatSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Contender, own, peers } from '../contenders/contenders.ts'
import { projectFolder } from '../../scripts/measure/servers/server-process.ts'

/** What npm installs to run a server in production, without its runtime. */
export interface InstallFigures {
  contender: string
  packages: number
  bytes: number
}

const benchFolder = join(import.meta.dirname, '..')

/** The part of package.json that this file reads. */
interface PackageFile {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

/** Counts the packages of the project and of each peer, and the bytes of their files. */
export function measureInstalls(): InstallFigures[] {
  return [
    installOf(own.name, Object.keys(readPackage(projectFolder).dependencies ?? {}), projectFolder),
    ...peers.map(({ name, packages = [] }: Contender) => installOf(name, packages, benchFolder)),
  ]
}

function installOf(contender: string, roots: readonly string[], from: string): InstallFigures {
  const folders = new Set<string>()
  const waiting = roots.map((name) => ({ name, from, isOptional: false }))
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const folder = folderOf(next.name, next.from)
    if (folder === undefined && !next.isOptional) throw new Error(`${next.name} is not installed for ${next.from}`)
    if (folder === undefined || folders.has(folder)) continue
    folders.add(folder)
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = readPackage(folder)
    const needed = { ...dependencies, ...peerDependencies }
    for (const name of Object.keys({ ...needed, ...optionalDependencies })) {
      const isOptional = optionalDependencies?.[name] !== undefined || peerDependenciesMeta?.[name]?.optional === true
      // npm installs no optional peer that nothing else needs.
      if (peerDependenciesMeta?.[name]?.optional !== true) waiting.push({ name, from: folder, isOptional })
    }
  }
  return { contender, packages: folders.size, bytes: [...folders].reduce((sum, folder) => sum + bytesOf(folder), 0) }
}

/** Finds a package as Node does: in node_modules of a folder or of one above it. */
function folderOf(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name)
    if (existsSync(found)) return found
    if (folder === dirname(folder)) return undefined
  }
}

function readPackage(folder: string): PackageFile {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PackageFile
}

/** The bytes of a package's files, without those of packages inside it. */
function bytesOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .reduce((sum, entry) => {
      const path = join(folder, entry.name)
      return sum + (entry.isDirectory() ? bytesOf(path) : lstatSync(path).size)
    }, 0)
}
