import { type Alias, type Document, LineCounter, type Node } from 'yaml'
import { isAlias, isMap, isNode, isScalar, isSeq, parseDocument } from 'yaml'
import { type Finding, BrokenContract } from './findings.ts'

/** A place in a file: its line and its column, both from 1. */
export interface Place {
  file: string
  line: number
  col: number
}

/** Where the objects and lists of YAML files stand, and the names and values of their members. */
export class Places {
  readonly #members = new WeakMap<object, { itself: Place; members: Map<string, { name: Place; value: Place }> }>()

  note(object: object, itself: Place) {
    const members = new Map<string, { name: Place; value: Place }>()
    this.#members.set(object, { itself, members })
    return members
  }

  /** @returns undefined for what no file has, such as what bundling adds */
  find({ object, key }: NonNullable<Finding['at']>, of: 'name' | 'value' = 'name'): Place | undefined {
    const place = this.#members.get(object)
    return (key === undefined ? undefined : place?.members.get(String(key)))?.[of] ?? place?.itself
  }
}

/**
 * Reads a YAML 1.2 file. Lint, bundling, generation and the service all see this one reading of the text.
 *
 * @param file its name, for messages
 * @returns the mapping that it is, integers beyond 2^53 as bigints
 * @throws BrokenContract with a line for each reason
 */
export function readYaml(bytes: Uint8Array, file: string, places: Places): Record<string, unknown> {
  const source = textOf(bytes, file)
  const lines = new LineCounter()
  // To find a name that is given twice, `yaml` compares each with each; and it copies the text around each problem.
  const quick = { uniqueKeys: false, prettyErrors: false }
  const yaml = parseDocument(source, { lineCounter: lines, intAsBigInt: true, version: '1.2', ...quick })
  const reader = new YamlReader(yaml, lines, file, places)
  for (const { message, pos } of [...yaml.errors, ...yaml.warnings]) {
    reader.refuse(pos[0], /call stack/.test(message) ? tooDeep : message)
  }
  // In YAML 1.1 `yes` is true, and 010 is 8.
  if (yaml.directives.yaml.version !== '1.2') {
    reader.refuse(source.search(/^%YAML/m), 'only YAML 1.2 is read; remove the directive')
  }
  reader.throwProblems()
  const document = reader.read()
  reader.throwProblems()
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new BrokenContract([`${file}:1:1: is no mapping of YAML; write a mapping, and text where it is needed`])
  }
  return document as Record<string, unknown>
}

function textOf(bytes: Uint8Array, file: string): string {
  if (bytes.length === 0) throw new BrokenContract([`${file}:1:1: is empty`])
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new BrokenContract([`${file}: is not UTF-8; save it in that encoding`], { cause: error })
  }
  const line = text.slice(0, Math.max(0, text.indexOf('\0'))).split('\n').length
  if (text.includes('\0')) throw new BrokenContract([`${file}:${String(line)}:1: has a NUL byte; remove it`])
  return text
}

/** Each level of a document is one of the stack in what reads it. Contracts that people write have about thirty. */
const maxDepth = 200

/**
 * How many values aliases may stand for in a file. An alias of an alias multiplies them: 30 such levels are a billion
 * values, and what reads the contract walks them all.
 */
const maxAliased = 20_000

/** The problems of a file that are told. One slip, such as a quote that is missing, makes hundreds. */
const maxProblems = 5

const tooDeep = `is nested more than ${String(maxDepth)} levels deep; give its parts names, and refer to them by $ref`

class YamlReader {
  readonly #problems: string[] = []
  #problemCount = 0
  readonly #yaml: Document.Parsed
  readonly #lines: LineCounter
  readonly #file: string
  readonly #places: Places
  /** The nodes with anchors so far. */
  readonly #anchored = new Map<string, unknown>()
  /** The values of nodes that are read, and how many values are in each: an alias is the same object. */
  readonly #read = new Map<unknown, { value: unknown; size: number }>()
  #depth = 0
  #size = 0
  #aliased = 0

  constructor(yaml: Document.Parsed, lines: LineCounter, file: string, places: Places) {
    this.#yaml = yaml
    this.#lines = lines
    this.#file = file
    this.#places = places
  }

  read(): unknown {
    return this.#value(this.#yaml.contents)
  }

  /** Notes a problem at a place in the text. */
  refuse(offset: number, text: string): void {
    if (++this.#problemCount > maxProblems) return
    const { line, col } = this.#lines.linePos(offset)
    this.#problems.push(`${this.#file}:${String(line)}:${String(col)}: ${text}`)
  }

  throwProblems(): void {
    if (this.#problemCount === 0) return
    const more = this.#problemCount - this.#problems.length
    const rest = more === 0 ? [] : [`${this.#file}: ${String(more)} more, which may follow from these`]
    throw new BrokenContract([...this.#problems, ...rest])
  }

  #value(node: unknown): unknown {
    if (isAlias(node)) return this.#alias(node)
    if (isNode(node) && node.anchor !== undefined) this.#anchored.set(node.anchor, node)
    const before = this.#size++
    let value: unknown = null
    if (isScalar(node)) {
      const isFinite = typeof node.value !== 'number' || Number.isFinite(node.value)
      if (!isFinite) this.#refuse(node, `${node.source ?? ''} is no number of JSON; write one that a double holds`)
      value = inNumberRange(node.value)
    } else if (this.#depth === maxDepth) {
      this.#refuse(node, tooDeep)
    } else {
      this.#depth++
      if (isMap(node)) value = this.#mapping(node.items, node)
      if (isSeq(node)) value = this.#sequence(node.items, node)
      this.#depth--
    }
    this.#read.set(node, { value, size: this.#size - before })
    return value
  }

  #alias(node: Alias): unknown {
    // What is still being read has no value yet.
    const read = this.#read.get(this.#anchored.get(node.source))
    if (read === undefined) {
      this.#refuse(node, `the alias *${node.source} leads to nothing or back to itself`)
      return null
    }
    const { value, size } = read
    // It is told once.
    if (this.#aliased > maxAliased) return value
    this.#size += size
    this.#aliased += size
    if (this.#aliased <= maxAliased) return value
    const most = String(maxAliased)
    this.#refuse(node, `aliases up to here stand for more than ${most} values; refer to components by $ref`)
    return null
  }

  #mapping(items: { key: unknown; value: unknown }[], node: Node): Record<string, unknown> {
    const object: Record<string, unknown> = {}
    const members = this.#places.note(object, this.#place(node))
    for (const { key, value } of items) {
      const name = isScalar(key) ? nameOf(key.value) : undefined
      if (name === undefined) {
        this.#refuse(key ?? node, 'a key must be a text or a number')
        continue
      }
      if (isScalar(key) && key.anchor !== undefined) this.#value(key)
      if (name === '<<') this.#refuse(key, '<< is no keyword of YAML 1.2; write the members out, or use $ref')
      if (members.has(name)) this.#refuse(key, `the name ${name} is given twice; remove one`)
      members.set(name, { name: this.#place(key), value: this.#place(value ?? key) })
      const own = { value: this.#value(value), writable: true, enumerable: true, configurable: true }
      // `__proto__` is a name like any other.
      Object.defineProperty(object, name, own)
    }
    return object
  }

  #sequence(items: unknown[], node: Node): unknown[] {
    const list: unknown[] = []
    const members = this.#places.note(list, this.#place(node))
    for (const [index, item] of items.entries()) {
      const place = this.#place(item ?? node)
      members.set(String(index), { name: place, value: place })
      list.push(this.#value(item))
    }
    return list
  }

  #place(node: unknown): Place {
    return { file: this.#file, ...this.#lines.linePos((node as Node).range?.[0] ?? 0) }
  }

  #refuse(node: unknown, text: string): void {
    this.refuse((node as Node).range?.[0] ?? 0, text)
  }
}

function nameOf(key: unknown): string | undefined {
  if (typeof key === 'string') return key
  return typeof key === 'number' || typeof key === 'bigint' || typeof key === 'boolean' ? String(key) : undefined
}

/** `yaml` reads all integers as bigints or none; those that a double holds become numbers again. */
function inNumberRange(value: unknown): unknown {
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value
}
