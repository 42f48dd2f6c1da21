import { type Alias, LineCounter, type Scalar, type YAMLError, type Node } from 'yaml'
import { isAlias, isMap, isNode, isScalar, isSeq, parseDocument } from 'yaml'
import { isObject } from 'fastify-contract/json'
import { BrokenContract, type Finding } from './findings.ts'
import { type Draft, type SourceFile, offsets, origin, originOf } from './node.ts'
import { type Reading, isIdentifier, maxDepth, readJson } from './read-json.ts'

/** The maximum number of aliased values in a file. Aliases of aliases multiply: 30 levels are a billion. */
const maxAliased = 20_000
/** The maximum number of reported problems of a file. One missing quote can cause hundreds. */
const maxProblems = 5
/** Tags of YAML 1.1 for values that JSON does not have. */
const foreignTag = /^tag:yaml\.org,2002:(binary|timestamp|omap|pairs|merge)$/
const tooDeep = `is nested more than ${String(maxDepth)} levels deep; move parts to components, and refer to them by $ref`

/**
 * Parses a YAML 1.2 file for linting, bundling, generation and the server alike.
 *
 * @param file its name in messages
 * @throws BrokenContract with a line for each problem
 */
export function readYaml(bytes: Uint8Array, file: string): Reading {
  const source = textOf(bytes, file)
  const json = readJson(file, source)
  if (json !== undefined) return json
  const lines = new LineCounter()
  const problems: string[] = []
  const report = (offset: number, text: string) => {
    const { line, col } = lines.linePos(offset)
    problems.push(`${file}:${String(line)}:${String(col)}: ${text}`)
  }
  const throwProblems = () => {
    const more = problems.length - maxProblems
    const rest = more > 0 ? [`${file}: ${String(more)} more problems, which may follow from these`] : []
    if (problems.length > 0) throw new BrokenContract([...problems.slice(0, maxProblems), ...rest])
  }
  // For unique keys `yaml` takes quadratic time; for pretty errors it copies the text around each.
  const quick = { uniqueKeys: false, prettyErrors: false }
  const schema = { intAsBigInt: true, version: '1.2', merge: true } as const
  const yaml = parseDocument(source, { lineCounter: lines, ...schema, ...quick })
  for (const error of [...yaml.errors, ...yaml.warnings]) report(error.pos[0], problemOf(error, source))
  // In YAML 1.1 `yes` is true and 010 is 8.
  if (yaml.directives.yaml.version !== '1.2') report(0, 'only YAML 1.2 is supported; remove the directive')
  throwProblems()
  const reader = new YamlReader({ name: file, lines, text: source }, (node, text) => {
    report(offsetOf(node), text)
  })
  const document = reader.read(yaml.contents)
  throwProblems()
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new BrokenContract([`${file}:1:1: is not a YAML mapping; write an OpenAPI document`])
  }
  // Its names are texts.
  return { ...reader.found, document: document as Draft }
}

/** What an author can do about an error of `yaml`. */
function problemOf({ code, message, pos }: YAMLError, source: string): string {
  if (/call stack/.test(message)) return tooDeep
  if (code === 'MULTIPLE_DOCS') return 'a second document begins here; keep one in a file'
  if (code === 'TAG_RESOLVE_FAILED')
    return `the tag ${source.slice(...pos)} is unknown or does not fit the value; remove it`
  return `${message}; correct the YAML`
}

/** Assignment to `__proto__` would set the prototype. */
function setMember(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
}

function offsetOf(node: unknown): number {
  return (node as Node).range?.[0] ?? 0
}

function textOf(bytes: Uint8Array, file: string): string {
  if (bytes.length === 0) throw new BrokenContract([`${file}:1:1: is empty; write an OpenAPI document`])
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new BrokenContract([`${file}: is not UTF-8; save it as UTF-8`], { cause: error })
  }
  const line = text.slice(0, Math.max(0, text.indexOf('\0'))).split('\n').length
  if (text.includes('\0')) throw new BrokenContract([`${file}:${String(line)}:1: has a NUL byte; remove it`])
  return text
}

/** A `$ref`, and the object that has it. */
type Reference = readonly [reference: string, object: object]

/** The value of an anchor, shared by its aliases. */
interface Anchored {
  value: unknown
  /** The number of values within. */
  size: number
  /** Those within that are data where the anchor is, but not at every alias. */
  references: readonly Reference[]
}

/** Converts the nodes of a document to values with their origins. */
class YamlReader {
  readonly found = {
    references: new Map<string, object>(),
    anchored: new Set<string>(),
    hasIdentifiers: false,
    warnings: new Array<Finding>(),
  }
  readonly #file: SourceFile
  readonly #report: (node: unknown, text: string) => void
  readonly #anchored = new Map<string, Anchored | undefined>()
  #depth = 0
  #size = 0
  #aliased = 0
  /** How many extensions are open: a `$ref` inside is data. */
  #extensions = 0
  /** Those inside of extensions. */
  readonly #inExtensions: Reference[] = []

  constructor(file: SourceFile, report: (node: unknown, text: string) => void) {
    this.#file = file
    this.#report = report
  }

  read(node: unknown): unknown {
    if (isAlias(node)) return this.#alias(node)
    const anchor = isNode(node) ? node.anchor : undefined
    // Until it is read, an anchor has no value.
    if (anchor !== undefined) this.#anchored.set(anchor, undefined)
    const [before, references] = [this.#size++, this.#inExtensions.length]
    const [, tag] = foreignTag.exec((isNode(node) && node.tag) || '') ?? []
    let value: unknown = null
    if (tag !== undefined) this.#report(node, `!!${tag} is of YAML 1.1, and has no JSON; remove it`)
    else if (isScalar(node)) value = this.#scalar(node)
    else if (this.#depth === maxDepth) this.#report(node, tooDeep)
    else {
      this.#depth++
      if (isMap(node)) value = this.#mapping(node.items, node)
      if (isSeq(node)) value = this.#sequence(node.items, node)
      this.#depth--
    }
    if (anchor !== undefined)
      this.#anchored.set(anchor, { value, size: this.#size - before, references: this.#inExtensions.slice(references) })
    return value
  }

  #noteReference([reference, object]: Reference): void {
    if (this.#extensions > 0) this.#inExtensions.push([reference, object])
    else this.found.references.set(reference, object)
  }

  /** `yaml` parses all integers as bigints or none; safe integers become numbers again. */
  #scalar({ value, source, range }: Scalar): unknown {
    if (typeof value === 'number' && !Number.isFinite(value))
      this.#report({ range }, `${source ?? ''} is not a JSON number; write one in the range of a double`)
    return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value
  }

  #alias(node: Alias): unknown {
    const read = this.#anchored.get(node.source)
    if (read === undefined) {
      this.#report(node, `the alias *${node.source} leads to nothing or back to itself; remove it`)
      return null
    }
    for (const reference of read.references) this.#noteReference(reference)
    this.#size += read.size
    // Reported once.
    const isReported = this.#aliased > maxAliased
    this.#aliased += read.size
    if (isReported || this.#aliased <= maxAliased) return read.value
    const limit = String(maxAliased)
    this.#report(node, `aliases have expanded to more than ${limit} values; refer to components by $ref`)
    return null
  }

  #mapping(items: { key: unknown; value: unknown }[], node: Node): object {
    const members = new Map<string, number>()
    const object = { [origin]: { file: this.#file, offset: offsetOf(node), members } }
    const own = new Set<string>()
    for (const { key, value } of items) {
      const isMerge = isScalar(key) && typeof key.value === 'symbol' && key.source === '<<'
      // The key as text.
      const written = isScalar(key) && key.value !== null && !isMerge ? (this.read(key) as string | number) : undefined
      if (written === undefined && !isMerge) {
        this.#report(key ?? node, 'a key must be text or a number; write it in quotes')
        continue
      }
      // YAML reads 1.10 as 1.1.
      const source = isScalar(key) && typeof written === 'number' ? (key.source ?? written) : written
      const name = isMerge ? '<<' : String(source)
      const remedy = isMerge ? 'give one of them a list' : 'remove one'
      if (own.has(name)) this.#report(key, `the name ${name} is duplicated; ${remedy}`)
      own.add(name)
      members.set(name, offsetOf(key) * offsets + offsetOf(value ?? key))
      if (isMerge) this.#merge(object, members, value ?? key)
      else this.#define(object, name, value)
    }
    return object
  }

  #define(object: object, name: string, node: unknown): void {
    const isExtension = name.startsWith('x-')
    if (isExtension) this.#extensions++
    const value = this.read(node)
    if (isExtension) this.#extensions--
    if (isIdentifier(name, value)) this.found.hasIdentifiers = true
    if (name === '$ref' && typeof value === 'string') this.#noteReference([value, object])
    setMember(object, name, value)
  }

  /** Adds the members that an object does not have, of one mapping or of several (yaml.org/type/merge.html). */
  #merge(object: object, members: Map<string, number>, node: unknown): void {
    const sources = [this.read(node)].flat()
    for (const source of sources) {
      if (!isObject(source)) {
        this.#report(node, '<< merges only mappings; write one, an alias of one, or a list of these')
        continue
      }
      const places = originOf(source)?.members
      for (const [name, value] of Object.entries(source)) {
        if (Object.hasOwn(object, name)) continue
        setMember(object, name, value)
        members.set(name, places?.get(name) ?? 0)
      }
    }
    const text = '<<: is of YAML 1.1, and other tools may not read it; write out the members, or use $ref'
    this.found.warnings.push({ at: { object, key: '<<' }, text })
  }

  #sequence(items: unknown[], node: Node): unknown[] {
    const members = new Map<string, number>()
    const list = items.map((item, index) => {
      const offset = offsetOf(item ?? node)
      members.set(String(index), offset * offsets + offset)
      return this.read(item)
    })
    return Object.assign(list, { [origin]: { file: this.#file, offset: offsetOf(node), members } })
  }
}
