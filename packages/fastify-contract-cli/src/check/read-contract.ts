import { basename } from 'node:path'
import { type ContractDocument, type ContractOperation, dereference, operationsOf } from 'fastify-contract/document'
import { namesOf } from 'fastify-contract/json'
import { readBundled } from './bundle.ts'
import { checkCompilation } from './check-compilation.ts'
import { checkExamples } from './check-examples.ts'
import { isUnsupported } from '../keywords/objects.ts'
import { checkKeywords, checkReferences } from './check-keywords.ts'
import { checkOperations } from './check-operations.ts'
import { BrokenContract, type Finding } from './findings.ts'
import type { Place, Places } from './read-yaml.ts'
import { type StructureProblem, structureProblems } from './structure.ts'

export interface CheckedContract {
  /** The contract as it is served, in one document; integers beyond 2^53 are bigints. */
  document: ContractDocument
  /** The contract as its author wrote it, in one document. */
  written: Record<string, unknown>
  /** With their references resolved. */
  operations: ContractOperation[]
  /** One line for each kind of words that are ignored or mended, and for each operation that takes long to compile. */
  warnings: string[]
  /** The content of referenced files, by their paths relative to the contract's folder. */
  referred: Map<string, Uint8Array>
}

export interface ReadOptions {
  /** The service's paths outside the contract. */
  reserved?: readonly string[]
  /** Whether what is only warned of is a problem too. */
  strict?: boolean
}

/**
 * Reads a contract and checks its structure, keywords, operations and examples.
 *
 * @param source the contract
 * @param file its path; referenced files are relative to it
 * @param name its name in messages
 * @throws BrokenContract with a line for each problem: file, line, column, problem, remedy
 */
export async function readContract(
  source: Uint8Array,
  file: string,
  name = basename(file),
  { reserved = [], strict = false }: ReadOptions = {},
): Promise<CheckedContract> {
  return inOneLine(name, async () => {
    const {
      document,
      written: asWritten,
      places,
      referred,
      references,
      structure,
      isSound,
    } = await readStructure(source, file, name)
    const problems = [...references, ...checkKeywords(document), ...structure]
    const unchecked = { findings: [], contract: undefined }
    const { findings, contract } = isSound ? runChecks(document, reserved, problems.length > 0) : unchecked
    const found = [...problems, ...findings]
    const isRejected = found.some(({ isConsequence }) => isConsequence !== true)
    const failed = found.find(({ error }) => error !== undefined)
    if (failed !== undefined && !isRejected) throw failed.error
    const reported = found.filter(({ isConsequence }) => isConsequence !== true || !isRejected)
    reject(reported, places, name)
    // A contract without findings has been resolved.
    const { written, operations } = contract!
    const { uncompiled, slow } = await checkCompilation(contract!)
    reject(uncompiled, places, name)
    if (strict) reject(slow, places, name)
    const warnings = inLines(slow, places, name, 'warning: ')
    return { document: written, written: asWritten, operations, warnings, referred }
  })
}

/** @param isFaulty whether the contract has other problems, which may make the checks fail */
function runChecks(document: Record<string, unknown>, reserved: readonly string[], isFaulty: boolean) {
  // The structure has been checked.
  const written = document as unknown as ContractDocument
  try {
    const resolved = dereference(document)
    const operations = operationsOf(resolved).filter(({ method }) => !isUnsupported('pathItem', method))
    const contract = { written, resolved, operations }
    return { findings: [...checkOperations(contract, reserved), ...checkExamples(written)], contract }
  } catch (error) {
    if (isFaulty) return { findings: [], contract: undefined }
    throw error
  }
}

/** A contract with only its structure checked. */
export interface OpenApi {
  document: Record<string, unknown>
  /** Finds the place of a member by the names on its path. */
  locate: (names: string[]) => Place | undefined
}

/** @throws BrokenContract */
export async function readOpenApi(source: Uint8Array, file: string, name: string): Promise<OpenApi> {
  return inOneLine(name, async () => {
    const { document, places, references, structure } = await readStructure(source, file, name)
    reject([...references, ...structure], places, name)
    return { document, locate: (names) => placeOf(document, names, places) }
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

/** @returns the contract, the problems of its references and structure, and whether other checks can rely on it */
async function readStructure(source: Uint8Array, file: string, name: string) {
  const { document, places, referred, findings } = await readBundled(source, file, name)
  const written = structuredClone(document)
  const { openapi } = document
  // Other versions have other keywords.
  if (!/^3\.1\.\d+$/.test(String(openapi))) {
    const version = JSON.stringify(openapi ?? document['swagger'] ?? null)
    const text = `openapi: ${version} is not supported; use 3.1.x`
    reject([{ at: { object: document, key: 'openapi' }, text }], places, name)
  }
  const references = [...findings, ...checkReferences(document)]
  const problems = await structureProblems(document)
  const structure = problems.map(({ pointer, text }): Finding => ({
    at: holderOf(document, namesOf(pointer), places),
    text: `${text} (${pointer})`,
  }))
  // Surplus members and problems within schemas do not affect other checks.
  const isHarmless = ({ rule, pointer, text }: StructureProblem) =>
    rule !== 'struct' ||
    /^Property `.*` is not expected here/.test(text) ||
    (/\/schemas?\//.test(pointer) && !text.startsWith('Expected type `Schema` '))
  const isSound = references.length === 0 && problems.every(isHarmless)
  return { document, written, places, referred, references, structure, isSound }
}

/** The last member with a known place on a path of names, as far as it exists. */
function holderOf(document: object, names: string[], places: Places): Finding['at'] {
  let [object, at]: [unknown, Finding['at']] = [document, undefined]
  for (const key of names) {
    if (typeof object !== 'object' || object === null) break
    const inside: unknown = Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined
    // A bundled component has a place, but its name has none.
    const isPlaced = (each: Finding['at']) => each !== undefined && places.find(each) !== undefined
    const itself = typeof inside === 'object' && inside !== null ? { object: inside } : undefined
    at = [{ object, key }, itself, at].find(isPlaced)
    object = inside
  }
  return at
}

function placeOf(document: object, names: string[], places: Places): Place | undefined {
  const at = holderOf(document, names, places)
  return at === undefined ? undefined : places.find(at, 'value')
}

/** @throws BrokenContract if there are findings */
function reject(findings: Finding[], places: Places, name: string): void {
  if (findings.length > 0) throw new BrokenContract(inLines(findings, places, name))
}

/** One line for each finding, ordered by place. Of several at one place, the first is kept. */
function inLines(findings: Finding[], places: Places, name: string, before = ''): string[] {
  const located = findings.map(({ at, text }) => ({ text, place: at === undefined ? undefined : places.find(at) }))
  const keyOf = ({ place, text }: (typeof located)[number]) =>
    place === undefined ? text : `${place.file}:${String(place.line)}:${String(place.col)}`
  const distinct = [...new Map(located.toReversed().map((finding) => [keyOf(finding), finding])).values()]
  const inOrder = distinct.toSorted(({ place: a }, { place: b }) => {
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
    return a.file.localeCompare(b.file) || a.line - b.line || a.col - b.col
  })
  return inOrder.map((finding) => `${finding.place === undefined ? name : keyOf(finding)}: ${before}${finding.text}`)
}
