import { type Alias, LineCounter, type Node, type Scalar } from 'yaml'
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

/** Each level of a document is one of the stack in what reads it. Contracts that people write have about thirty. */
const maxDepth = 200
/** How many values aliases may stand for in a file. An alias of an alias multiplies them: 30 levels are a billion. */
const maxAliased = 20_000
/** The problems of a file that are told. One slip, such as a quote that is missing, makes hundreds. */
const maxProblems = 5
const tooDeep = `is nested more than ${String(maxDepth)} levels deep; give its parts names, and refer to them by $ref`

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
  const problems: string[] = []
  const refuse = (offset: number, text: string) => {
    const { line, col } = lines.linePos(offset)
    problems.push(`${file}:${String(line)}:${String(col)}: ${text}`)
  }
  const throwProblems = () => {
    const more = problems.length - maxProblems
    const rest = more > 0 ? [`${file}: ${String(more)} more, which may follow from these`] : []
    if (problems.length > 0) throw new BrokenContract([...problems.slice(0, maxProblems), ...rest])
  }
  // To find a name that is given twice, `yaml` compares each with each; and it copies the text around each problem.
  const quick = { uniqueKeys: false, prettyErrors: false }
  const yaml = parseDocument(source, { lineCounter: lines, intAsBigInt: true, version: '1.2', ...quick })
  for (const { message, pos } of [...yaml.errors, ...yaml.warnings]) {
    refuse(pos[0], /call stack/.test(message) ? tooDeep : message)
  }
  // In YAML 1.1 `yes` is true, and 010 is 8.
  if (yaml.directives.yaml.version !== '1.2') refuse(0, 'only YAML 1.2 is read; remove the directive')
  throwProblems()
  const placeOf = (node: unknown) => ({ file, ...lines.linePos(offsetOf(node)) })
  const reader = new YamlReader(places, placeOf, (node, text) => {
    refuse(offsetOf(node), text)
  })
  const document = reader.read(yaml.contents)
  throwProblems()
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new BrokenContract([`${file}:1:1: is no mapping of YAML; write a mapping, and text where it is needed`])
  }
  return document as Record<string, unknown>
}

function offsetOf(node: unknown): number {
  return (node as Node).range?.[0] ?? 0
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

/** Turns the nodes of a document into values, and notes their places. */
class YamlReader {
  readonly #places: Places
  readonly #placeOf: (node: unknown) => Place
  readonly #refuse: (node: unknown, text: string) => void
  /** The values of anchors so far, and how many values are in each: an alias is the same object. */
  readonly #anchored = new Map<string, { value: unknown; size: number } | undefined>()
  #depth = 0
  #size = 0
  #aliased = 0

  constructor(places: Places, placeOf: (node: unknown) => Place, refuse: (node: unknown, text: string) => void) {
    this.#places = places
    this.#placeOf = placeOf
    this.#refuse = refuse
  }

  read(node: unknown): unknown {
    if (isAlias(node)) return this.#alias(node)
    const anchor = isNode(node) ? node.anchor : undefined
    // What is still being read has no value yet.
    if (anchor !== undefined) this.#anchored.set(anchor, undefined)
    const before = this.#size++
    let value: unknown = null
    if (isScalar(node)) value = this.#scalar(node)
    else if (this.#depth === maxDepth) this.#refuse(node, tooDeep)
    else {
      this.#depth++
      if (isMap(node)) value = this.#mapping(node.items, node)
      if (isSeq(node)) value = this.#sequence(node.items, node)
      this.#depth--
    }
    if (anchor !== undefined) this.#anchored.set(anchor, { value, size: this.#size - before })
    return value
  }

  /** `yaml` reads all integers as bigints or none; those that a double holds become numbers again. */
  #scalar({ value, source, range }: Scalar): unknown {
    if (typeof value === 'number' && !Number.isFinite(value))
      this.#refuse({ range }, `${source ?? ''} is no number of JSON; write one that a double holds`)
    return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value
  }

  #alias(node: Alias): unknown {
    const read = this.#anchored.get(node.source)
    if (read === undefined) {
      this.#refuse(node, `the alias *${node.source} leads to nothing or back to itself`)
      return null
    }
    this.#size += read.size
    // It is told once.
    const isTold = this.#aliased > maxAliased
    this.#aliased += read.size
    if (isTold || this.#aliased <= maxAliased) return read.value
    const most = String(maxAliased)
    this.#refuse(node, `aliases up to here stand for more than ${most} values; refer to components by $ref`)
    return null
  }

  #mapping(items: { key: unknown; value: unknown }[], node: Node): Record<string, unknown> {
    const object: Record<string, unknown> = {}
    const members = this.#places.note(object, this.#placeOf(node))
    for (const { key, value } of items) {
      // A scalar of JSON has a text.
      const written = isScalar(key) && key.value !== null ? (this.read(key) as string | number) : undefined
      if (written === undefined) {
        this.#refuse(key ?? node, 'a key must be a text or a number')
        continue
      }
      const name = String(written)
      if (name === '<<') this.#refuse(key, '<< is no keyword of YAML 1.2; write the members out, or use $ref')
      if (members.has(name)) this.#refuse(key, `the name ${name} is given twice; remove one`)
      members.set(name, { name: this.#placeOf(key), value: this.#placeOf(value ?? key) })
      const own = { value: this.read(value), writable: true, enumerable: true, configurable: true }
      // `__proto__` is a name like any other.
      Object.defineProperty(object, name, own)
    }
    return object
  }

  #sequence(items: unknown[], node: Node): unknown[] {
    const list: unknown[] = []
    const members = this.#places.note(list, this.#placeOf(node))
    for (const [index, item] of items.entries()) {
      const place = this.#placeOf(item ?? node)
      members.set(String(index), { name: place, value: place })
      list.push(this.read(item))
    }
    return list
  }
}
