import { basename } from 'node:path'
import { type ContractDocument, type ContractOperation, dereference, operationsOf } from 'fastify-contract/document'
import { checkCompilation } from './check-compilation.ts'
import { adopt, isSupported } from '../adopt/adopt.ts'
import { removeBrokenValues } from './check-examples.ts'
import { checkSatisfiable } from './check-satisfiable.ts'
import { BrokenContract, type Finding, asLine } from './findings.ts'
import { type Place, Places, readYaml } from './read-yaml.ts'

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
  { strict = false }: ReadOptions = {},
): Promise<CheckedContract> {
  return inOneLine(name, async () => {
    const { document, written, places, referred, warnings } = await readStructure(source, file, name)
    reject(checkSatisfiable(document), places, name)
    const broken = removeBrokenValues(document)
    const resolved = dereference(document)
    const operations = operationsOf(resolved)
    if (operations.length === 0)
      reject(
        [{ at: { object: document, key: 'paths' }, text: 'paths: the contract has no operation; add one' }],
        places,
        name,
      )
    const { uncompiled, slow } = await checkCompilation(document, resolved, operations)
    reject(uncompiled, places, name)
    const found = [...warnings, ...broken, ...slow]
    if (strict) reject(found, places, name)
    return { document, written, operations, warnings: inWarnings(found, places, name), referred }
  })
}

/** A contract with only its structure checked. */
export interface OpenApi {
  document: ContractDocument
  /** Finds the place of a member by the names on its path. */
  locate: (names: string[]) => Place | undefined
}

/** @throws BrokenContract */
export async function readOpenApi(source: Uint8Array, file: string, name: string): Promise<OpenApi> {
  return inOneLine(name, async () => {
    const { document, places } = await readStructure(source, file, name)
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

/** Reads and adopts a contract, and checks all that single objects can show. */
async function readStructure(source: Uint8Array, file: string, name: string) {
  const places = new Places()
  const document = readYaml(source, name, places)
  // Other versions have other keywords.
  if (!isSupported(document)) {
    const version = JSON.stringify(document['openapi'] ?? document['swagger'] ?? null)
    const text = `openapi: ${version} is not supported; use 3.0, 3.1 or 3.2`
    reject([{ at: { object: document, key: 'openapi' }, text }], places, name)
  }
  const { referred, findings } = refersToFiles(document)
    ? // Redocly takes some 0.3 s to load.
      await (await import('./bundle.ts')).bundleFiles(document, file, name, places)
    : { referred: new Map<string, Uint8Array>(), findings: [] }
  const written = structuredClone(document)
  const { warnings, problems, failures } = adopt(document, places)
  reject([...findings, ...problems], places, name)
  if (failures.length > 0) throw failures[0]
  // The structure has been checked.
  return { document: document as unknown as ContractDocument, written, places, referred, warnings }
}

/** Whether a document refers to other files, except in extensions, which are data. */
function refersToFiles(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if ('$ref' in value && typeof value.$ref === 'string' && !value.$ref.startsWith('#')) return true
  return Object.entries(value).some(([name, member]) => !name.startsWith('x-') && refersToFiles(member))
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

/** One line for each finding, in the order of their places. */
function inLines(findings: Finding[], places: Places, name: string): string[] {
  return inOrder(findings, places).map(({ text, place }) => `${placeText(place, name)}: ${text}`)
}

/** One line for each kind of warning, at its first place. */
function inWarnings(warnings: Finding[], places: Places, name: string): string[] {
  const kinds = [...Map.groupBy(warnings, ({ kind, text }) => kind ?? text).values()]
  const firsts = kinds.map((ofKind) => {
    const found = inOrder(ofKind, places)
    const more = found.length > 1 ? ` (and ${String(found.length - 1)} more)` : ''
    // A kind has one at least.
    return { place: found[0]!.place, text: `warning: ${found[0]!.text}${more}` }
  })
  return firsts.toSorted(byPlace).map(({ text, place }) => asLine(`${placeText(place, name)}: ${text}`))
}

interface Located {
  text: string
  place: Place | undefined
}

/** Of several findings at one place, the first is kept. */
function inOrder(findings: Finding[], places: Places): Located[] {
  const located = findings.map(({ at, beside, text }): Located => {
    const other = beside === undefined ? undefined : places.find(beside)
    const and = other === undefined ? '' : ` (${placeText(other, '')})`
    return { text: text + and, place: at === undefined ? undefined : places.find(at) }
  })
  const keyOf = ({ place, text }: Located) => (place === undefined ? text : placeText(place, ''))
  const distinct = [...new Map(located.toReversed().map((finding) => [keyOf(finding), finding])).values()]
  return distinct.toSorted(byPlace)
}

function byPlace({ place: a }: Located, { place: b }: Located): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  return a.file.localeCompare(b.file) || a.line - b.line || a.col - b.col
}

function placeText(place: Place | undefined, name: string): string {
  return place === undefined ? name : `${place.file}:${String(place.line)}:${String(place.col)}`
}
