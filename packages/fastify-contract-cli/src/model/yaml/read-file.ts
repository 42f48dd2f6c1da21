import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, isAbsolute, relative, resolve, sep } from 'node:path'
import { printable } from 'fastify-contract/json'
import { BrokenContract } from './findings.ts'

/** The largest public contracts have about ten million bytes. */
const maxBytes = 16 * 2 ** 20

/** A rejected file. The message completes a sentence about it, with the remedy. */
export class RejectedFile extends Error {}

/**
 * Reads a file of a contract.
 *
 * @throws RejectedFile if it is too large or not a regular file: a device or a pipe may never end; a system error if it
 *   cannot be read
 */
function readRegularFile(path: string): Buffer {
  const stats = statSync(path)
  if (!stats.isFile()) throw new RejectedFile('is not a regular file; copy its content into one')
  if (stats.size > maxBytes) {
    throw new RejectedFile(`has more than ${String(maxBytes)} bytes; split the contract into files`)
  }
  return readFileSync(path)
}

/** Generated files have the name in a comment. @throws RejectedFile */
function assertPrintable(name: string): void {
  if (printable(name) === name) return
  throw new RejectedFile('has a control character or a line break in its name; rename it')
}

/**
 * Reads a referenced file below a folder, symbolic links included: the author of a contract must not publish other files of
 * the machine.
 *
 * @param outside the message for any other file
 * @throws RejectedFile, or a system error
 */
export function readBelow(folder: string, path: string, outside: string): Buffer {
  assertPrintable(relative(folder, path))
  if (!isBelow(folder, path) || !isBelow(realpathSync(folder), realpathSync(path))) throw new RejectedFile(outside)
  return readRegularFile(path)
}

/** Why `--root` does not help. */
export const outsideRoot = 'is outside the folder of --root; name one that holds it'

/**
 * The folder of `--root`, if it holds the contract.
 *
 * @param file the contract
 * @param name its name in messages
 * @throws BrokenContract
 */
export function holderOf(file: string, name: string, folder: string): string {
  // The current folder has a path without symbolic links.
  const real = existsSync(folder) ? realpathSync(folder) : folder
  const holder = [folder, real].find((each) => isBelow(each, file))
  if (holder === undefined) throw new BrokenContract([`${name}: ${outsideRoot}`])
  return holder
}

/** Reads the contract itself. @throws BrokenContract if it cannot be read or is not a regular file */
export function readSource(file: string, name: string): Buffer {
  try {
    assertPrintable(basename(file))
    return readRegularFile(file)
  } catch (error) {
    const reason =
      error instanceof RejectedFile
        ? error.message
        : `cannot be read (${String((error as NodeJS.ErrnoException).code)})`
    throw new BrokenContract([`${name}: ${reason}`], { cause: error })
  }
}

/** Whether a reference leads to a document of the web. */
export function isOnNetwork(reference: string): boolean {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(reference) && !isFile(reference)
}

/** Whether a reference is the URI of a file of this machine (RFC 8089). */
function isFile(reference: string): boolean {
  return /^file:\/\/(?:localhost)?\//i.test(reference)
}

/**
 * The file to which a reference leads. It is a URI, in which characters are percent-encoded; that a file has this very
 * name counts more.
 *
 * @param folder that of the file with the reference
 * @throws RejectedFile if the percent-encoding is broken
 */
export function fileOf(folder: string, reference: string): string {
  const written = isFile(reference) ? reference.replace(/^file:\/\/(?:localhost)?/i, '') : reference
  const exact = resolve(folder, written)
  if (!written.includes('%') || existsSync(exact)) return exact
  try {
    return resolve(folder, decodeURIComponent(written))
  } catch (error) {
    throw new RejectedFile('has a percent-encoding that is broken; write % as %25', { cause: error })
  }
}

/** Whether a path is below a folder. Both are absolute. */
function isBelow(folder: string, path: string): boolean {
  const rest = relative(folder, path)
  return rest !== '' && rest !== '..' && !rest.startsWith(`..${sep}`) && !isAbsolute(rest)
}
