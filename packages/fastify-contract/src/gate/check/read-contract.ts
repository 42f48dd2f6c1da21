import { basename, dirname, relative, resolve } from 'node:path'
import { BaseResolver, Source, bundleDocument, createConfig, getTypes, lintDocument } from '@redocly/openapi-core'
import type { Document, NormalizedProblem } from '@redocly/openapi-core'
import type { ContractDocument } from '../../document/document.ts'
import { stringifyJson } from '../../json/json.ts'
import { lookUp } from '../../json/pointer.ts'
import { printable } from '../../json/printable.ts'
import { schemaNameOf, schemasPointer } from '../../schema/schema-parts.ts'
import { checkExamples } from './check-examples.ts'
import { checkMultiplied } from './words/check-multiplied.ts'
import { checkOperations, checkSecurity } from './check-operations.ts'
import { checkReferences, checkWords } from './words/check-words.ts'
import { checkErrorNumbers } from './error-numbers.ts'
import { BrokenContract, type Finding } from './findings.ts'
import { HiddenValue, hideValues, revealValues } from './hidden-values.ts'
import { RefusedFile, isBelow, readBelow } from './read-file.ts'
import { endlessReferences, memberOf, namesOf } from './references.ts'
import { type Place, Places, readYaml } from './read-yaml.ts'

/** The structure that the checks of this project rely on; taste is for the linter. */
const rules = { struct: 'error', 'no-unresolved-refs': 'error' } as const

interface LocatedFinding extends Omit<Finding, 'at'> {
  place: Place | undefined
}

/**
 * Reads a contract and checks all of it: its structure, its words, its operations and its examples.
 *
 * @param source the contract
 * @param file its path; the files that it refers to are found from there, and bundled into it
 * @returns the document as it was written, integers beyond 2^53 as bigints; a line for each warning; and the files that
 *   it refers to, by their paths from the folder of the contract
 * @throws BrokenContract with a line for each problem: file, line, column, problem, remedy
 */
export async function readContract(
  source: Uint8Array,
  file: string,
): Promise<{ document: ContractDocument; warnings: string[]; referred: Map<string, Uint8Array> }> {
  const asked = new Set<string>()
  try {
    return await readAll(source, file, asked)
  } catch (error) {
    if (error instanceof BrokenContract) error.referred = [...asked]
    throw error
  }
}

async function readAll(source: Uint8Array, file: string, asked: Set<string>) {
  const { document, places, findings, referred } = await bundle(source, file, asked)
  const contract = document as unknown as ContractDocument
  const isSound = findings.every(isOfSchema)
  const words = [...checkWords(document), ...(isSound ? checkReferences(document) : [])]
  const results: Finding[] = []
  const stopped: [subject: string, reason: string][] = []
  const run = ([subject, check]: (typeof checks)[number]) => {
    try {
      results.push(...check(contract))
    } catch (error) {
      stopped.push([subject, error instanceof Error ? error.message : String(error)])
    }
  }
  if (isSound) run(['schemas', checkMultiplied])
  // With those the others would not end.
  if (isSound && results.length === 0) for (const each of checks) run(each)
  const isRefused = findings.length > 0 || words.some(({ isConsequence = false }) => !isConsequence)
  const isNews = ({ isConsequence = false }: Finding) => !isConsequence || !isRefused
  const told = [...findings, ...words, ...results].map(({ text }) => text)
  const untold = stopped.filter(([, reason]) => !told.some((text) => text.includes(partOf(reason))))
  const own = [...words, ...results].filter(isNews).map(({ at, ...finding }): LocatedFinding => ({
    ...finding,
    place: at === undefined ? undefined : places.find(at),
  }))
  const isAlone = findings.length === 0 && own.every(({ isWarning = false }) => isWarning)
  const remedy = isAlone ? 'report it with the contract' : 'mend the rest, and run it again'
  for (const [subject, reason] of untold) {
    own.push({ place: undefined, text: `the check of ${subject} has failed (${reason}); ${remedy}` })
  }
  refuse([...own.filter(({ isWarning }) => isWarning !== true), ...findings], file)
  const warnings = own.map((finding) => ({ ...finding, text: `warning: ${finding.text}` }))
  return { document: contract, warnings: inLines(warnings, file).map(printable), referred }
}

/** The checks of a contract of the right structure, by what they are about. */
const checks: [subject: string, check: (document: ContractDocument) => Finding[]][] = [
  ['error numbers', checkErrorNumbers],
  ['operations', checkOperations],
  ['security', checkSecurity],
  ['examples', checkExamples],
]

/** What a problem that is told already has in common with the reason for which a check stopped. */
function partOf(reason: string): string {
  return /(the reference [^]*? )leads /.exec(reason)?.[1] ?? reason
}

/**
 * Whether what the linter found leaves the structure that the other checks rely on: a word too many, which checkWords
 * reports too, a reference to nothing, or a fault inside of a schema that is an object.
 */
function isOfSchema({ text }: LocatedFinding): boolean {
  if (text.startsWith('Expected type `Schema` ')) return false
  return /^(?:Property `.*` is not expected here|the reference (?!leads (?:back|on)))|\(#\/.*\/schemas?\//.test(text)
}

/**
 * Reads a contract of which the structure alone is checked: not whether this service could serve it, and no examples.
 *
 * @returns its text; where it refers to other files, all of it as JSON, which is YAML too, and what finds the place of
 *   the last of the members that lead into it
 * @throws BrokenContract
 */
export async function readOpenApi(source: Uint8Array, file: string): Promise<OpenApiText> {
  const { document, places, findings, referred } = await bundle(source, file)
  refuse(findings, file)
  if (referred.size === 0) return { text: new TextDecoder().decode(source), locate: undefined }
  return { text: `${stringifyJson(document, 2)}\n`, locate: (names) => placeOf(document, names, places) }
}

/** A contract as one text. */
export interface OpenApiText {
  text: string
  /** Finds places where the text is not that of a file. */
  locate: ((names: string[]) => Place | undefined) | undefined
}

/**
 * Reads YAML whose structure is not checked.
 *
 * @returns the mapping that it is, and what finds the place of the last of the members that lead into it
 * @throws BrokenContract where it is not YAML or no mapping
 */
export function parseContract(source: Uint8Array, file: string) {
  const places = new Places()
  const document = readYaml(source, file, places)
  return { document, locate: (names: string[]) => placeOf(document, names, places) }
}

/** @param asked receives the path of each file that is referred to, from the folder of the contract */
async function bundle(source: Uint8Array, file: string, asked = new Set<string>()) {
  const places = new Places()
  const files = new ContractFiles(file, source, places, asked)
  const { openapi } = files.root
  // Every other version has other words.
  if (!/^3\.1\.\d+$/.test(String(openapi))) {
    const place = places.find({ object: files.root, key: 'openapi' })
    const version = JSON.stringify(openapi ?? files.root['swagger'] ?? null)
    const text = `openapi: must be 3.1.x, the version that this service reads, not ${version}`
    refuse([{ place, text }], file)
  }
  const config = await createConfig({ rules })
  const root = await files.document(resolve(file))
  hideValues(files.root, resolve(file), (from, reference) => files.follow(from, reference))
  const endless = endlessReferences(files.root).map(({ at, text }): LocatedFinding => ({
    place: at === undefined ? undefined : places.find(at),
    text,
  }))
  // The linter does not survive those.
  const { referred } = files
  if (endless.length > 0) {
    revealValues(files.root)
    return { document: files.root, places, findings: endless, referred }
  }
  const problems = await lintDocument({
    document: roundedCopy(root),
    externalRefResolver: files.rounded(),
    config,
  }).catch((error: unknown) => {
    // Only through another file: endlessReferences has found the others.
    if (!String(error).includes('circular pointer')) throw inOneLine(error, file)
    const text = 'a reference to another file leads back to itself; refer to an object'
    throw new BrokenContract([`${basename(file)}: ${text}`])
  })
  if (files.unreadable.size > 0) throw new BrokenContract([...files.unreadable.values()].flat())
  const findings = problems.map((problem) => locate(problem, files, places))
  // Bundling writes some references of one file out, too.
  if (files.isSeveral()) {
    const options = { document: root, config, types: getTypes('oas3_1'), externalRefResolver: files }
    await bundleDocument(options).catch((error: unknown) => {
      // What keeps a contract from being bundled is reported.
      if (findings.length === 0) throw inOneLine(error, file)
    })
  }
  revealValues(files.root)
  return { document: files.root, places, findings, referred }
}

/** Has Redocly read each file as this project does, and none over the network. */
class ContractFiles extends BaseResolver {
  readonly root: Record<string, unknown>
  /** The content of the other files, by their paths from the folder of the contract. */
  readonly referred = new Map<string, Uint8Array>()
  /** Why others of them cannot be read, by their paths. */
  readonly unreadable = new Map<string, readonly string[]>()
  /** Why some are not read at all, by their paths. */
  readonly #refused = new Map<string, string>()
  readonly #file: string
  readonly #source: Uint8Array
  readonly #places: Places
  readonly #asked: Set<string>
  readonly #parsed = new Map<string, Record<string, unknown>>()
  #isNamed = false

  constructor(file: string, source: Uint8Array, places: Places, asked: Set<string>) {
    super()
    this.#asked = asked
    this.#file = file
    this.#source = source
    this.#places = places
    this.root = this.parsed(resolve(file))
  }

  /** The content of a file, always the same object. */
  parsed(path: string): Record<string, unknown> {
    let document = this.#parsed.get(path)
    if (document === undefined) {
      const isRoot = path === resolve(this.#file)
      const folder = dirname(resolve(this.#file))
      const name = relative(folder, path)
      if (!isRoot && isBelow(folder, path)) this.#asked.add(name)
      const source = isRoot ? this.#source : this.#read(folder, path)
      if (!isRoot) this.referred.set(name, source)
      try {
        document = readYaml(source, name, this.#places)
      } catch (error) {
        // Redocly would say no more than that the file cannot be read.
        if (!isRoot && error instanceof BrokenContract) this.unreadable.set(path, error.lines)
        throw error
      }
      this.#parsed.set(path, document)
    }
    return document
  }

  #read(folder: string, path: string): Buffer {
    try {
      return readBelow(folder, path)
    } catch (error) {
      if (error instanceof RefusedFile) this.#refused.set(path, error.message)
      throw error
    }
  }

  /** What a reference of a file leads to; undefined where that is nothing. */
  follow(from: string, reference: string): { file: string; value: unknown } | undefined {
    const [uri = '', pointer = ''] = reference.split('#', 2)
    const file = uri === '' ? from : this.resolveExternalRef(from, uri)
    this.#isNamed ||= uri !== ''
    if (isInNetwork(file)) return undefined
    try {
      const document = this.parsed(file)
      return { file, value: pointer === '' ? document : lookUp(document, `#${pointer}`) }
    } catch {
      // Redocly meets it, too, and then it is reported.
      return undefined
    }
  }

  /** Why a reference of a file leads to nothing. */
  reasonOf(from: string, reference: string): string {
    if (isInNetwork(reference)) return 'is not read over the network; keep a copy'
    return this.#refused.get(this.resolveExternalRef(from, reference.split('#', 1).join())) ?? 'leads to nothing'
  }

  /** Whether there are other files, or references to this one by its name. */
  isSeveral(): boolean {
    return this.#parsed.size > 1 || this.#isNamed
  }

  document(path: string): Promise<Document> {
    if (isInNetwork(path)) return Promise.reject(new Error('nothing is read over the network'))
    return Promise.resolve({ source: new Source(path, ''), parsed: this.parsed(path) })
  }

  // The types leave open what a document is parsed to; here it is what YAML gives.
  override resolveDocument = ((base: string | null, reference: string) =>
    this.document(this.resolveExternalRef(base, reference))) as BaseResolver['resolveDocument']

  /** The same files for the linter, which knows no bigints. Each is one copy: it knows a circle by its objects. */
  rounded(): BaseResolver {
    const resolver = new BaseResolver()
    const copies = new Map<string, Document>()
    resolver.resolveDocument = (async (base: string | null, reference: string) => {
      const path = this.resolveExternalRef(base, reference)
      const copy = copies.get(path) ?? roundedCopy(await this.document(path))
      copies.set(path, copy)
      return copy
    }) as BaseResolver['resolveDocument']
    return resolver
  }
}

/** Redocly follows references between files by recursion. */
function inOneLine(error: unknown, file: string): unknown {
  if (!(error instanceof RangeError)) return error
  const remedy = 'keep schemas that refer to one another in one file'
  return new BrokenContract([`${basename(file)}: too many files refer on to one another; ${remedy}`], { cause: error })
}

function isInNetwork(path: string): boolean {
  return /^[a-z]+:\/\//i.test(path)
}

function roundedCopy({ source, parsed }: Document): Document {
  return { source, parsed: rounded(parsed, parsed) }
}

/**
 * Replaces bigints by numbers, and references to named schemas by a schema without further references. The linter reads
 * a named schema where it is named. It follows references by recursion: where hundreds lead on, its stack overflows.
 */
function rounded(node: unknown, document: unknown): unknown {
  if (typeof node === 'bigint') return Number(node)
  if (Array.isArray(node)) return node.map((member) => rounded(member, document))
  if (typeof node !== 'object' || node === null) return node
  if (node instanceof HiddenValue) return emptyOf(node.reveal())
  const members = Object.entries(node).map(([name, member]) =>
    isNamedSchema(name, member, document) ? ['type', 'object'] : [name, rounded(member, document)],
  )
  return Object.fromEntries(members)
}

/** A value of the same type. */
function emptyOf(value: unknown): unknown {
  return Array.isArray(value) ? [] : typeof value === 'string' ? '' : {}
}

function isNamedSchema(name: string, member: unknown, document: unknown): boolean {
  if (name !== '$ref' || schemaNameOf(member) === undefined) return false
  const target = lookUp(document, String(member))
  return typeof target === 'object' && target !== null && !('$ref' in target)
}

function locate(
  { message, location: [first] }: NormalizedProblem,
  files: ContractFiles,
  places: Places,
): LocatedFinding {
  const text = message.split('\n', 1).join()
  if (first?.pointer === undefined) return { place: undefined, text }
  const names = namesOf(first.pointer)
  const document = files.parsed(first.source.absoluteRef)
  if (!text.startsWith("Can't resolve $ref")) {
    return { place: placeOf(document, names, places), text: `${text} (${first.pointer})` }
  }
  const isMapped = names.at(-2) === 'mapping'
  const reference = isMapped ? names : [...names, '$ref']
  const place = placeOf(document, reference, places)
  const target = String(reference.reduce<unknown>(memberOf, document))
  const reason = files.reasonOf(first.source.absoluteRef, target)
  const remedy = isMapped && !target.includes('/') ? `; write ${schemasPointer}${target}` : ''
  return { place, text: `the reference ${target} ${reason}${remedy}` }
}

/** The place of the last of the members that lead from an object, as far as they do. */
function placeOf(object: unknown, names: string[], places: Places): Place | undefined {
  const objects = names.map((_, index) => names.slice(0, index).reduce(memberOf, object))
  const found = objects.map((each, index) =>
    typeof each === 'object' && each !== null ? places.find({ object: each, key: names[index]! }) : undefined,
  )
  return found.findLast((place) => place !== undefined)
}

/** Throws where there are findings. */
function refuse(findings: LocatedFinding[], file: string): void {
  if (findings.length > 0) throw new BrokenContract(inLines(findings, file))
}

/** A line for each finding, in the order of their places. Of several at one place the first names the remedy. */
function inLines(findings: LocatedFinding[], file: string): string[] {
  const keyOf = ({ place, text }: LocatedFinding) =>
    place === undefined ? text : `${place.file}:${String(place.line)}:${String(place.col)}`
  const distinct = [...new Map(findings.toReversed().map((finding) => [keyOf(finding), finding])).values()]
  const inOrder = distinct.toSorted(({ place: a }, { place: b }) => {
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
    return a.file.localeCompare(b.file) || a.line - b.line || a.col - b.col
  })
  return inOrder.map((finding) => `${finding.place === undefined ? basename(file) : keyOf(finding)}: ${finding.text}`)
}
