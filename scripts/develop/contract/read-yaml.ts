import { type Document, LineCounter, type Node, isAlias, isMap, isScalar, isSeq, parseDocument } from 'yaml'
import { type Finding, BrokenContract } from './findings.ts'

/** A place in a file: its line and its column, both from 1. */
export interface Place {
  file: string
  line: number
  col: number
}

/** Where the objects and lists of YAML files stand, and their members. */
export class Places {
  readonly #members = new WeakMap<object, { itself: Place; members: Map<string, Place> }>()

  note(object: object, itself: Place): Map<string, Place> {
    const members = new Map<string, Place>()
    this.#members.set(object, { itself, members })
    return members
  }

  /** @returns undefined for what no file has, such as what bundling adds */
  find({ object, key }: NonNullable<Finding['at']>): Place | undefined {
    const place = this.#members.get(object)
    return (key === undefined ? undefined : place?.members.get(String(key))) ?? place?.itself
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
  const yaml = parseDocument(source, { lineCounter: lines, intAsBigInt: true, version: '1.2' })
  const reader = new YamlReader(yaml, lines, file, places)
  const problems = [...yaml.errors, ...yaml.warnings].map(({ message, pos: [start] }) =>
    reader.problem(start, firstLine(message).replace(/ at line \d+, column \d+:?$/, '')),
  )
  // In YAML 1.1 `yes` is true, and 010 is 8.
  if (yaml.directives.yaml.version !== '1.2') {
    problems.push(reader.problem(source.search(/^%YAML/m), 'only YAML 1.2 is read; remove the directive'))
  }
  if (problems.length > 0) throw new BrokenContract(problems.join('\n'))
  const document = reader.read()
  if (reader.problems.length > 0) throw new BrokenContract(reader.problems.join('\n'))
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new BrokenContract(`${file}:1:1: is no mapping of YAML; write a mapping, and text where it is needed`)
  }
  return document as Record<string, unknown>
}

function textOf(bytes: Uint8Array, file: string): string {
  if (bytes.length === 0) throw new BrokenContract(`${file}:1:1: is empty`)
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new BrokenContract(`${file}: is not UTF-8; save it in that encoding`, { cause: error })
  }
  const line = text.slice(0, Math.max(0, text.indexOf('\0'))).split('\n').length
  if (text.includes('\0')) throw new BrokenContract(`${file}:${String(line)}:1: has a NUL byte; remove it`)
  return text
}

class YamlReader {
  readonly problems: string[] = []
  readonly #yaml: Document.Parsed
  readonly #lines: LineCounter
  readonly #file: string
  readonly #places: Places
  /** The values of anchored nodes: an alias is the same object. */
  readonly #values = new Map<unknown, unknown>()
  readonly #open = new Set<unknown>()
  #aliases = 0

  constructor(yaml: Document.Parsed, lines: LineCounter, file: string, places: Places) {
    this.#yaml = yaml
    this.#lines = lines
    this.#file = file
    this.#places = places
  }

  read(): unknown {
    return this.#value(this.#yaml.contents)
  }

  problem(offset: number, text: string): string {
    const { line, col } = this.#lines.linePos(offset)
    return `${this.#file}:${String(line)}:${String(col)}: ${text}`
  }

  #value(node: unknown): unknown {
    if (isAlias(node)) {
      const target = node.resolve(this.#yaml)
      if (target === undefined || this.#open.has(target)) {
        this.#refuse(node, `the alias *${node.source} leads to nothing or back to itself`)
        return null
      }
      // An object that many aliases repeat would be walked as often.
      if (++this.#aliases > maxAliases) {
        if (this.#aliases === maxAliases + 1) this.#refuse(node, 'has too many aliases; refer to components by $ref')
        return null
      }
      return this.#value(target)
    }
    if (this.#values.has(node)) return this.#values.get(node)
    if (isScalar(node)) {
      const isFinite = typeof node.value !== 'number' || Number.isFinite(node.value)
      if (!isFinite) this.#refuse(node, `${node.source ?? ''} is no number of JSON; write one that a double holds`)
      return inNumberRange(node.value)
    }
    this.#open.add(node)
    const value = isMap(node) ? this.#mapping(node.items, node) : isSeq(node) ? this.#sequence(node.items, node) : null
    this.#open.delete(node)
    this.#values.set(node, value)
    return value
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
      if (name === '<<') this.#refuse(key, '<< is no word of YAML 1.2; write the members out, or use $ref')
      members.set(name, this.#place(key))
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
      members.set(String(index), this.#place(item ?? node))
      list.push(this.#value(item))
    }
    return list
  }

  #place(node: unknown): Place {
    return { file: this.#file, ...this.#lines.linePos((node as Node).range?.[0] ?? 0) }
  }

  #refuse(node: unknown, text: string): void {
    this.problems.push(this.problem((node as Node).range?.[0] ?? 0, text))
  }
}

function nameOf(key: unknown): string | undefined {
  if (typeof key === 'string') return key
  return typeof key === 'number' || typeof key === 'bigint' || typeof key === 'boolean' ? String(key) : undefined
}

const maxAliases = 1_000

/** `yaml` reads all integers as bigints or none; those that a double holds become numbers again. */
function inNumberRange(value: unknown): unknown {
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value
}

function firstLine(text: string): string {
  return text.split('\n', 1).join()
}
