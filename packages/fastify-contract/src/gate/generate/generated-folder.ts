import { renameSync, rmSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The folder of the generated files, in the project's folder. */
export const folder = 'generated'

/**
 * Compares the generated folder with what it should hold.
 *
 * @param root the project's folder
 * @param files the content of each file that belongs there
 * @returns the names of the files that differ, are missing or do not belong there, in order
 */
export async function staleFiles(root: string, files: Map<string, string>): Promise<string[]> {
  const present = await readdir(join(root, folder)).catch(() => [])
  const stale: string[] = present.filter((file) => !files.has(file))
  for (const [file, content] of files) {
    const current = await readFile(join(root, folder, file), 'utf8').catch(() => undefined)
    if (current !== content) stale.push(file)
  }
  return stale.sort()
}

/**
 * Makes the generated folder hold these files and no others. All of them are written aside before the first is moved
 * into place, in the order of the map, so that no reader and no interruption meets half of a file.
 */
export async function replaceFiles(root: string, files: Map<string, string>): Promise<void> {
  const stale = await staleFiles(root, files)
  await mkdir(join(root, folder), { recursive: true })
  const aside = await mkdtemp(join(root, `.${folder}-`))
  try {
    const changed = [...files].filter(([file]) => stale.includes(file))
    for (const [file, content] of changed) await writeFile(join(aside, file), content)
    for (const [file] of changed) renameSync(join(aside, file), join(root, folder, file))
    for (const file of stale) if (!files.has(file)) rmSync(join(root, folder, file), { recursive: true })
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
}
