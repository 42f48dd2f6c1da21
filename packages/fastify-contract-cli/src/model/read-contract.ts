import { basename } from 'node:path'
import { type ContractDocument, type ContractOperation, operationsOf, shellQuoted } from 'fastify-contract/document'
import { stringifyJson } from 'fastify-contract/json'
import { checkCompilation } from './check/compilation.ts'
import { checkReferences } from './check/references.ts'
import { adopt, isSupported } from './mend/adopt.ts'
import { Mending } from './mend/mending.ts'
import { removeBrokenValues } from './check/examples.ts'
import { checkSatisfiable } from './check/satisfiable.ts'
import { BrokenContract, type Finding } from './yaml/findings.ts'
import { type Node, type Place, placeOf } from './yaml/node.ts'
import { readYaml } from './yaml/read-yaml.ts'
import { resolveIdentifiers } from './yaml/identifiers.ts'
import { inLines, inWarnings } from './yaml/report.ts'

export interface CheckedContract {
  /** The contract as it is served, in one document; integers beyond 2^53 are bigints. */
  document: ContractDocument
  /** The contract as its author wrote it, in one document. */
  written: Node
  /** With their references resolved. */
  operations: ContractOperation[]
  /** The schemas that nothing satisfies. */
  unsatisfiable: ReadonlySet<object>
  /** One line for each kind of words that are ignored or mended, and for each operation that takes long to compile. */
  warnings: string[]
  /** The content of referenced files, by their paths relative to the contract's folder. */
  referred: Map<string, Uint8Array>
}

export interface ReadOptions {
  /** Whether what is only warned of is a problem too. */
  strict?: boolean
  /** The folder that holds the referenced files, if it is not that of the contract. */
  root?: string | undefined
  /** Whether all operations are compiled, which finds those that cannot be; true by default. */
  compiles?: boolean
}

/**
 * Reads a contract and checks its structure, keywords, operations and examples.
 *
 * @param source the contract
 * @param file its path; referenced files are relative to it
 * @param name its name in messages
 * @throws BrokenContract with a line for each problem: file, line, column, problem, remedy
 */
export async function readCheckedContract(
  source: Uint8Array,
  file: string,
  name = basename(file),
  { strict = false, root, compiles = true }: ReadOptions = {},
): Promise<CheckedContract> {
  return inOneLine(name, async () => {
    const { document, objects, written, referred, warnings } = await readStructure(source, file, name, root)
    const { clashes, unsatisfiable } = checkSatisfiable(objects, document)
    const broken = removeBrokenValues(objects, document)
    const operations = operationsOf(document)
    const unserved = operations.length === 0 ? noOperation(document) : undefined
    if (unserved?.isRefused === true) reject([unserved], name, [...warnings, ...clashes, ...broken])
    const { uncompiled, slow } = checkCompilation(document, compiles ? operations : [])
    reject(uncompiled, name, [...warnings, ...clashes, ...broken, ...slow])
    const found = [...warnings, ...clashes, ...broken, ...slow, ...(unserved === undefined ? [] : [unserved])]
    if (strict) reject(found, name)
    return { document, written, operations, unsatisfiable, warnings: inWarnings(found, name), referred }
  })
}

/** Webhooks alone are taken for their types and the docs page. */
function noOperation(document: ContractDocument): Finding & { isRefused: boolean } {
  const { webhooks } = document
  return webhooks === undefined || Object.keys(webhooks).length === 0
    ? { at: { object: document, key: 'paths' }, text: 'paths: no operation can be served; add one', isRefused: true }
    : {
        at: { object: document, key: 'webhooks' },
        text: 'webhooks: are requests that the service sends, so nothing is served but the docs page; add paths',
        isRefused: false,
      }
}

/** A contract with only its structure checked. */
export interface OpenApi {
  document: ContractDocument
  /** The contract as its author wrote it, in one document, but with JSON Pointers in place of identifiers. */
  pointing: Node
  /** Finds the place of a member by the names on its path. */
  locate: (names: string[]) => Place | undefined
}

/** @throws BrokenContract */
export async function readOpenApi(source: Uint8Array, file: string, name: string): Promise<OpenApi> {
  return inOneLine(name, async () => {
    const { document, pointing } = await readStructure(source, file, name)
    return { document, pointing, locate: (names) => locate(document, names) }
  })
}

/** Reports a stack overflow in one line: references are followed recursively. @throws BrokenContract */
async function inOneLine<Result>(name: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const remedy = 'the chains of references are too long; split the contract'
    throw new BrokenContract([`${name}: ${remedy}`], { cause: error })
  }
}

/** Reads and adopts a contract, and checks all that single objects can show. */
async function readStructure(source: Uint8Array, file: string, name: string, root?: string) {
  const reading = readYaml(source, name)
  const { document, references, hasIdentifiers } = reading
  // Other versions have other keywords.
  if (!isSupported(document)) {
    const key = 'openapi' in document || !('swagger' in document) ? 'openapi' : 'swagger'
    const remedy =
      key === 'swagger'
        ? `convert it: npx swagger2openapi --patch --outfile openapi.yaml ${shellQuoted(name)}`
        : 'use 3.0, 3.1 or 3.2'
    const text = `${key}: ${stringifyJson(document[key] ?? null)} is not supported; ${remedy}`
    reject([{ at: { object: document, key }, text }], name)
  }
  const identified = hasIdentifiers ? structuredClone(document) : undefined
  resolveIdentifiers(reading)
  const outside = [...references].filter(([reference]) => !reference.startsWith('#'))
  const { referred, findings } =
    outside.length > 0
      ? // Redocly takes some 0.3 s to load.
        await (await import('./yaml/bundle.ts')).bundleFiles(reading, file, name, root)
      : { referred: new Map<string, Uint8Array>(), findings: [] }
  // Of several files, their references have become those of one.
  const pointing = structuredClone(document)
  const written = (outside.length === 0 ? identified : undefined) ?? pointing
  const mending = new Mending(reading)
  const objects = adopt(mending, pointing)
  checkReferences(objects, mending)
  const warnings = [...reading.warnings, ...mending.warnings]
  reject([...findings, ...mending.problems], name, warnings)
  if (mending.failures.length > 0) throw mending.failures[0]
  // The structure has been checked.
  return { document: document as unknown as ContractDocument, objects, written, pointing, referred, warnings }
}

/** The last member with a known place on a path of names, as far as it exists. */
function holderOf(document: object, names: string[]): Finding['at'] {
  let [object, at]: [unknown, Finding['at']] = [document, undefined]
  for (const key of names) {
    if (typeof object !== 'object' || object === null) break
    const inside: unknown = Object.hasOwn(object, key) ? (object as Node)[key] : undefined
    // A bundled component has a place, but its name has none.
    const isPlaced = (each: Finding['at']) => each !== undefined && placeOf(each) !== undefined
    const itself = typeof inside === 'object' && inside !== null ? { object: inside } : undefined
    at = [{ object, key }, itself, at].find(isPlaced)
    object = inside
  }
  return at
}

function locate(document: object, names: string[]): Place | undefined {
  const at = holderOf(document, names)
  return at === undefined ? undefined : placeOf(at, 'value')
}

/** @throws BrokenContract if there are findings */
function reject(findings: Finding[], name: string, warnings: Finding[] = []): void {
  if (findings.length === 0) return
  throw new BrokenContract(inLines(findings, name), {}, inWarnings(warnings, name))
}
