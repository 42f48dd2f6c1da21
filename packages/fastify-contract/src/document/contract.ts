import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import { parseJsonWithBigInts } from '../json/json.ts'
import { printable } from '../json/printable.ts'
import type { ContractTypes } from '../types/handler-types.ts'
import { type ContractDocument, contractFile, dereference, generatedFolder } from './document.ts'
import { generateCommand } from './generate-command.ts'

/** The contract cannot be served. The message is one printable line. */
export class UnservableContract extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(printable(reason), options)
  }
}

/** The texts of a contract. JSON is text, because JavaScript would round its integers. */
export interface ContractTexts {
  /** The contract as the server enforces it, in JSON. */
  document: string
  /** The contract as its author wrote it, in JSON, if it differs from `document`. */
  json?: string
  /** The file of its author, if it is the only one. */
  yaml?: string
  /** The SHA-256 of each file, by its path relative to `folder`. */
  sources?: Readonly<Record<string, string>>
}

/** The contract in `generated/contract.ts`, which `fastify-contract generate` writes. */
export interface Contract<Types extends ContractTypes = ContractTypes> extends ContractTexts {
  /** The folder of the generated files; undefined where a bundler moved them. */
  folder?: string | undefined
  /** The SHA-256 of the texts and of `sources`. */
  sha256: string
  /** Has no value: the types of handlers and of `auth`. */
  types?: Types
}

/** Completes the texts of a contract. */
export function sealContract(texts: ContractTexts): ContractTexts & Pick<Contract, 'sha256'> {
  return { ...texts, sha256: sealOf(texts) }
}

function sealOf({ document, json, yaml, sources = {} }: ContractTexts): string {
  return hash('sha256', JSON.stringify([document, json, yaml, sources]))
}

/** The documents of a contract: parsed, and with its references resolved. */
const documents = new WeakMap<Contract, { parsed: unknown; resolved: ContractDocument }>()

/**
 * The document of a generated contract, with its references resolved.
 *
 * @throws UnservableContract if its text was edited or cut
 */
export function documentOf(contract: Contract): ContractDocument {
  return documentsOf(contract).resolved
}

/** The document of its author, with its references as they are. @throws UnservableContract as `documentOf` */
export function writtenDocumentOf(contract: Contract): object {
  const { parsed } = documentsOf(contract)
  // `generate` has checked that it is one.
  return (contract.json === undefined ? parsed : parseJsonWithBigInts(contract.json)) as object
}

function documentsOf(contract: Contract) {
  const known = documents.get(contract)
  if (known !== undefined) return known
  if (contract.sha256 !== sealOf(contract)) throw stale(contract)
  // `generate` has checked it.
  const parsed = parseJsonWithBigInts(contract.document)
  const made = { parsed, resolved: dereference(parsed) }
  documents.set(contract, made)
  return made
}

/**
 * Compares a contract with the files that it was generated from. They may be absent, as in an image.
 *
 * @throws UnservableContract if one has changed
 */
export async function checkSources(contract: Contract): Promise<void> {
  const { folder, sources = {} } = contract
  if (folder === undefined) return
  const files = Object.entries(sources).map(([file, sum]) => matches(join(folder, file), sum))
  if ((await Promise.all(files)).includes(false)) throw stale(contract)
}

function stale(contract: Contract): UnservableContract {
  const { folder, source } = placeOf(contract)
  return new UnservableContract(`${basename(folder)}/ does not match ${basename(source)}; ${regenerate(contract)}`)
}

/** The remedy for generated files that cannot be served: a command for the current folder. */
export function regenerate(contract: Contract): string {
  const { folder, source } = placeOf(contract)
  const fromHere = (path: string) => relative('', path).replaceAll(sep, '/')
  return `run npx ${generateCommand(fromHere(join(folder, source)), fromHere(folder))}`
}

/** @returns the source relative to the folder */
function placeOf({ folder = generatedFolder, sources = {} }: Contract) {
  const [source = `../${contractFile}`] = Object.keys(sources)
  return { folder, source }
}

/** Whether a file has this SHA-256, or is absent. */
async function matches(file: string, sha256: string): Promise<boolean> {
  try {
    return hash('sha256', await readFile(file)) === sha256
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true
    const reason = error instanceof Error ? error.message : String(error)
    throw new UnservableContract(`cannot read the contract: ${reason}`, { cause: error })
  }
}
