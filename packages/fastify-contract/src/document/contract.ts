import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import { brand } from '../brand.ts'
import { parseJsonWithBigInts } from '../json/json.ts'
import { printable } from '../json/printable.ts'
import type { ContractTypes } from '../types/handler-types.ts'
import { applyChange } from './changes.ts'
import { type ContractDocument, contractFile, generatedFolder } from './document.ts'
import { generateCommand } from './generate-command.ts'

/** The contract cannot be served. The message is one printable line. */
export class UnservableContract extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(printable(reason), options)
  }
}
brand(UnservableContract, 'UnservableContract')

/** The texts of a contract. JSON is text, because JavaScript would round its integers. */
export interface ContractTexts {
  /** The contract as its author wrote it, in one document, in JSON. */
  document: string
  /** What the server reads otherwise: a `Change`, in JSON. */
  changes?: string
  /** The SHA-256 of each file, by its path relative to `folder`. */
  sources?: Readonly<Record<string, string>>
  /** The folder of `generate --root`, relative to `folder`. */
  root?: string
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

function sealOf({ document, changes, sources = {} }: ContractTexts): string {
  return hash('sha256', JSON.stringify([document, changes, sources]))
}

/** The documents of a contract: of its author, and as the server enforces it. */
const documents = new WeakMap<Contract, { written: Partial<ContractDocument>; served: ContractDocument }>()

/**
 * The document of a generated contract as the server enforces it.
 *
 * @throws UnservableContract if its text was edited or cut
 */
export function documentOf(contract: Contract): ContractDocument {
  return documentsOf(contract).served
}

/** The document of its author. @throws UnservableContract as `documentOf` */
export function writtenDocumentOf(contract: Contract): Partial<ContractDocument> {
  return documentsOf(contract).written
}

function documentsOf(contract: Contract) {
  const cached = documents.get(contract)
  if (cached !== undefined) return cached
  if (contract.sha256 !== sealOf(contract)) throw stale(contract)
  const { document, changes } = contract
  // `generate` has checked its structure.
  const written = parseJsonWithBigInts(document) as Partial<ContractDocument>
  const change = changes === undefined ? {} : parseJsonWithBigInts(changes)
  // `generate` has checked what they make.
  const entry = { written, served: applyChange(written, change) as ContractDocument }
  documents.set(contract, entry)
  return entry
}

/**
 * Reads the files that a contract was generated from. They may be absent, as in an image.
 *
 * @returns the file of its author, if it is the only one and is there
 * @throws UnservableContract if one has changed
 */
export async function readSources(contract: Contract): Promise<Buffer | undefined> {
  const { folder, sources = {} } = contract
  if (folder === undefined) return undefined
  const files = Object.entries(sources).map(async ([file, sum]) => {
    const content = await readSource(join(folder, file))
    if (content !== undefined && hash('sha256', content) !== sum) throw stale(contract)
    return content
  })
  const [first, ...others] = await Promise.all(files)
  return others.length === 0 ? first : undefined
}

function stale(contract: Contract): UnservableContract {
  const { folder, source } = placeOf(contract)
  return new UnservableContract(`${basename(folder)}/ does not match ${basename(source)}; ${regenerate(contract)}`)
}

/** The remedy for generated files that cannot be served: a command for the current folder. */
export function regenerate(contract: Contract): string {
  const { folder, source } = placeOf(contract)
  const fromHere = (path: string) => relative('', path).replaceAll(sep, '/')
  const root = contract.root === undefined ? undefined : fromHere(join(folder, contract.root))
  return `run npx ${generateCommand(fromHere(join(folder, source)), fromHere(folder), root)}`
}

/** @returns the source relative to the folder */
function placeOf({ folder = generatedFolder, sources = {} }: Contract) {
  const [source = `../${contractFile}`] = Object.keys(sources)
  return { folder, source }
}

/** @returns undefined if the file is absent */
async function readSource(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    const reason = error instanceof Error ? error.message : String(error)
    throw new UnservableContract(`cannot read the contract: ${reason}`, { cause: error })
  }
}
