import { escapeName } from '../json/pointer.ts'
import { anyType, itemsOf, othersOf, propertiesOf, typesOf } from '../schema/read/meaning.ts'
import type { NamedSchemas, Subschema } from '../schema/read/schema.ts'
import { type Reading, type TextShape, shapeOf } from './texts.ts'

/** What is known of a value whose parts have names of their own, such as `a[b]` and `a[c][0]`. */
interface DeepSchema {
  /** The shape of a text that is the whole value; `any` without a schema. */
  shape: TextShape | 'any'
  mayBeList: boolean
  mayBeObject: boolean
  items: Subschema
  properties: ReadonlyMap<string, Subschema>
  /** The schema of other properties; false where none are declared. */
  others: Subschema
}

/** The texts of a name and of the names below it. */
interface Branch<Text> {
  texts: Text[]
  below: Map<string, Branch<Text>>
}

/** Reads the text of a part of a value. @param path names and indices, from the value on */
export type ReadText<Text> = (text: Text, shape: TextShape | 'any', path: readonly string[]) => unknown

/**
 * Reads values of the style `deepObject`. OpenAPI leaves lists and deeper objects open (3.1.1, appendix C); these are read
 * as Stripe's and Rails' clients write them: `a[b][c]`, `a[0]`, `a[0][b]`, and `a[]` for a list of texts.
 */
export class DeepTexts {
  readonly #schemas: NamedSchemas
  // A schema may contain itself.
  readonly #compiled = new Map<Subschema, DeepSchema>()

  constructor(schemas: NamedSchemas) {
    this.#schemas = schemas
  }

  /** Whether a schema declares the part of a value at a path. */
  isDeclared(schema: Subschema, path: readonly string[]): boolean {
    return path.reduce((part, name) => this.#partOf(part, name), schema) !== false
  }

  /**
   * Makes a value of the texts of its parts.
   *
   * @param parts the names and indices of each part, and its texts
   * @param place for messages, such as `query/filter`
   */
  read<Text>(
    schema: Subschema,
    parts: readonly (readonly [path: readonly string[], texts: readonly Text[]])[],
    { place, reading, readText }: { place: string; reading: Reading; readText: ReadText<Text> },
  ): unknown {
    const root: Branch<Text> = { texts: [], below: new Map() }
    for (const [path, texts] of parts) {
      if (path.length > reading.maxLevels) {
        reading.problems.push(`${place} nests deeper than ${String(reading.maxLevels)} levels`)
        return undefined
      }
      let branch = root
      for (const name of path) {
        const next: Branch<Text> = branch.below.get(name) ?? { texts: [], below: new Map() }
        branch.below.set(name, next)
        branch = next
      }
      branch.texts.push(...texts)
    }

    const valueOf = (of: Subschema, { texts, below }: Branch<Text>, path: readonly string[]): unknown => {
      const at = () => [place, ...path.map(escapeName)].join('/')
      const { shape } = this.#readSchema(of)
      if (below.size === 0) {
        const [first] = texts
        if (texts.length === 1 && first !== undefined && shape !== 'list') return readText(first, shape, path)
        return listOf(of, texts, path)
      }
      if (texts.length > 0) {
        reading.problems.push(`${at()} is sent as a text and in parts; send one of them`)
        return undefined
      }
      if (!this.#isList(of, [...below.keys()])) {
        const members = [...below].map(([name, branch]): [string, unknown] => {
          return [name, valueOf(this.#partOf(of, name), branch, [...path, name])]
        })
        return reading.markTexts(Object.fromEntries(members))
      }
      const unnumbered = below.get('')
      if (unnumbered?.below.size === 0 && below.size === 1) return listOf(of, unnumbered.texts, path)
      const items = Array.from({ length: below.size }, (_, index) => below.get(String(index)))
      if (!items.every((item) => item !== undefined)) {
        reading.problems.push(`${at()} must have the indices from 0 to ${String(below.size - 1)}`)
        return undefined
      }
      const { items: item } = this.#readSchema(of)
      return reading.markTexts(items.map((branch, index) => valueOf(item, branch, [...path, String(index)])))
    }
    const listOf = (of: Subschema, texts: readonly Text[], path: readonly string[]): unknown[] => {
      const { items } = this.#readSchema(of)
      const { shape } = this.#readSchema(items)
      return reading.markTexts(texts.map((text, index) => readText(text, shape, [...path, String(index)])))
    }
    return valueOf(schema, root, [])
  }

  #isList(schema: Subschema, names: readonly string[]): boolean {
    const { mayBeList, mayBeObject, properties } = this.#readSchema(schema)
    const isIndex = (name: string) => /^\d*$/.test(name) && !(mayBeObject && properties.has(name))
    return mayBeList && names.every(isIndex)
  }

  /** The schema of a part of a value; false where none is declared. */
  #partOf(schema: Subschema, name: string): Subschema {
    const { mayBeObject, items, properties, others } = this.#readSchema(schema)
    if (this.#isList(schema, [name])) return items
    return mayBeObject ? (properties.get(name) ?? others) : false
  }

  #readSchema(schema: Subschema): DeepSchema {
    const compiled = this.#compiled.get(schema)
    if (compiled !== undefined) return compiled
    const types = typesOf(schema, this.#schemas)
    const declared = propertiesOf(schema, this.#schemas)
    const read: DeepSchema = {
      shape: types.isSupersetOf(anyType) ? 'any' : shapeOf(schema, this.#schemas),
      mayBeList: types.has('array'),
      mayBeObject: types.has('object'),
      items: itemsOf(schema, this.#schemas),
      properties: declared,
      others: othersOf(schema, this.#schemas) ?? declared.size === 0,
    }
    this.#compiled.set(schema, read)
    return read
  }
}

/** The names in brackets after a name: `b` and `0` of `a[b][0]`; undefined without any. */
export function namesBelow(name: string, key: string): string[] | undefined {
  return key.startsWith(`${name}[`) && key.endsWith(']') ? key.slice(name.length + 1, -1).split('][') : undefined
}
