import { readFileSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute, relative, sep } from 'node:path'
import { BrokenContract } from './findings.ts'

/** The largest contracts that are public have about ten million bytes. */
const maxBytes = 16 * 2 ** 20

/** A file that is not read. The message is the end of a sentence about it, with the remedy. */
export class RefusedFile extends Error {}

/**
 * Reads a file of a contract.
 *
 * @throws RefusedFile when it is no regular file, such as a device or a pipe, whose content may never end, or is too
 *   large; an error of the system when it cannot be read
 */
function readRegularFile(path: string): Buffer {
  const stats = statSync(path)
  if (!stats.isFile()) throw new RefusedFile('is not a regular file; copy its content into one')
  if (stats.size > maxBytes) {
    throw new RefusedFile(`has more than ${String(maxBytes)} bytes; split the contract into files`)
  }
  return readFileSync(path)
}

/**
 * Reads a file that a contract refers to, which stands below the contract's folder, also once symbolic links are
 * followed: whoever writes a contract does not choose what of the machine gets into the published one.
 *
 * @param folder the contract's folder
 * @throws RefusedFile, or an error of the system
 */
export function readBelow(folder: string, path: string): Buffer {
  // The stamp has a line for each file.
  if (/[\r\n]/.test(path)) throw new RefusedFile('has a line break in its name; rename it')
  // Nothing else is even looked at.
  if (!isBelow(folder, path) || !isBelow(realpathSync(folder), realpathSync(path))) {
    throw new RefusedFile('leads out of the folder of the contract; keep a copy below it')
  }
  return readRegularFile(path)
}

/** Reads the contract itself. @throws BrokenContract when it cannot be read, or is no regular file */
export function readSource(file: string, name: string): Buffer {
  try {
    return readRegularFile(file)
  } catch (error) {
    const reason =
      error instanceof RefusedFile ? error.message : `cannot be read (${String((error as NodeJS.ErrnoException).code)})`
    throw new BrokenContract([`${name}: ${reason}`], { cause: error })
  }
}

/** Whether a path leads to something in a folder or further below. Both are absolute. */
function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
