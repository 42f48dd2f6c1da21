import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ContractDocument, contractFile } from './document.ts'
import { parseJsonWithBigInts } from '../json/json.ts'
import { printable } from '../json/printable.ts'

/** The contract cannot be served. The message is one printable line. */
export class UnservableContract extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(printable(reason), options)
  }
}

/** A contract, parsed and as the text that is served. */
export interface Contract {
  document: ContractDocument
  json: string
  yaml: string
}

/**
 * Loads the contract that `fastify-contract generate` wrote.
 *
 * @param folder the folder in which the command ran
 * @param out the folder of the generated files, as given to the command; its stamp names the contract
 * @throws UnservableContract if a file is missing, or the stamp does not match contract.json, the contract or the files
 *   that it refers to. Those files may be absent, because contract.json includes them
 */
export async function loadContract(folder: string, out = 'generated'): Promise<Contract> {
  const stamp = await read(join(folder, out, 'contract.sha256'))
  const [first = '', ...rest] = stamp.split('\n')
  const [source, bundle] = [fileIn(first) || contractFile, `${out}/contract.json`]
  const [yaml, json] = await Promise.all([read(join(folder, source)), read(join(folder, bundle))])
  const others = rest.slice(0, -2)
  const current = await Promise.all(others.map((line) => currentLine(folder, line)))
  if (stamp !== [lineOf(source, yaml), ...current, lineOf(bundle, json), ''].join('\n')) {
    throw new UnservableContract(`${out}/ does not match ${source}; run npx fastify-contract generate`)
  }
  // The stamp proves that generate checked and wrote the document. A client cannot follow references to other files, so
  // it gets the JSON, which is YAML too (YAML 1.2, section 1.2).
  return { document: parseJsonWithBigInts(json) as ContractDocument, json, yaml: others.length === 0 ? yaml : json }
}

/** The file name in a line of the stamp. */
function fileIn(line: string): string {
  return line.replace(/^\S*\s*/, '')
}

/**
 * The stamp of the generated files, in the format of `sha256sum --check`.
 *
 * @param files the contract, the files that it refers to and contract.json, in this order, by their paths relative to the
 *   folder in which the command runs
 */
export function stampOf(files: readonly (readonly [file: string, content: string | Uint8Array])[]): string {
  return files.map(([file, content]) => `${lineOf(file, content)}\n`).join('')
}

function lineOf(file: string, content: string | Uint8Array): string {
  return `${hash('sha256', content)}  ${file}`
}

/** The current line of the stamp for a file; the given line if the file is absent, as in an image. */
async function currentLine(folder: string, line: string): Promise<string> {
  const file = fileIn(line)
  try {
    return lineOf(file, await readFile(join(folder, file)))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return line
    throw unreadable(error)
  }
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw unreadable(error)
  }
}

function unreadable(error: unknown): UnservableContract {
  const reason = error instanceof Error ? error.message : String(error)
  return new UnservableContract(`cannot read the contract: ${reason}`, { cause: error })
}
