import { execFileSync } from 'node:child_process'
import { cp, symlink } from 'node:fs/promises'
import { join } from 'node:path'

const repository = join(import.meta.dirname, '../../..')
const packages = ['packages/fastify-contract', 'packages/fastify-contract-cli']

/** A package as `npm pack` has written it. */
export interface PackedPackage {
  name: string
  tarball: string
  /** The paths of its files. */
  files: string[]
  /** The folder that was packed: a copy of that in the repository. */
  folder: string
}

/**
 * Packs both packages into a folder. Packs a copy of the repository, because package.json does not lead to the sources
 * while npm packs.
 */
export async function packPackages(folder: string): Promise<PackedPackage[]> {
  const copy = join(folder, 'repository')
  for (const part of ['packages', 'tsconfig.json'])
    await cp(join(repository, part), join(copy, part), { recursive: true })
  await symlink(join(repository, 'node_modules'), join(copy, 'node_modules'))
  const paths = packages.map((name) => `./${name}`)
  const options = ['--json', '--silent', '--pack-destination', folder]
  const printed = execFileSync('npm', ['pack', ...options, ...paths], { cwd: copy, encoding: 'utf8', stdio: 'pipe' })
  // https://docs.npmjs.com/cli/commands/npm-pack
  const packed = JSON.parse(printed) as { name: string; filename: string; files: { path: string }[] }[]
  return packed.map(({ name, filename, files }) => ({
    name,
    tarball: join(folder, filename),
    files: files.map(({ path }) => path),
    folder: join(copy, 'packages', name),
  }))
}
