import { existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/**
 * Follows symbolic links, as SQLite does, which keeps its own files beside the file that a link leads to. The file
 * itself and its folders may be missing.
 *
 * @throws Node's error, such as ELOOP, when the links lead nowhere
 */
export function realPathOf(file: string): string {
  if (existsSync(file)) return realpathSync(file)
  const path = resolve(file)
  const folder = dirname(path)
  if (folder === path) return path
  // Fails where links go round in a circle, which could be followed without end.
  statSync(path, { throwIfNoEntry: false })
  const place = join(realPathOf(folder), basename(path))
  if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return place
  return realPathOf(resolve(dirname(place), readlinkSync(place)))
}
