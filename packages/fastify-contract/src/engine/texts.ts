import { MalformedJson, type NumberSources, RefusedJson, parseJson } from '../json/json.ts'
import { itemsOf, typesOf } from '../schema/read/meaning.ts'
import { inPlace } from '../schema/read/schema-parts.ts'
import type { NamedSchemas, Subschema } from '../schema/read/schema.ts'
import type { Origin } from '../schema/check/validation.ts'

/** Where the parts of a request come from, and why some cannot be read. */
export class Reading implements Origin {
  texts: Set<object> | undefined
  sources: NumberSources | undefined
  /** For the client: place and rule. */
  readonly problems: string[] = []
  /** The maximum nesting depth of objects and arrays. */
  readonly maxLevels: number
  #ownSources: Map<object, ReadonlyMap<string, string>> | undefined

  constructor(maxLevels: number, sources: NumberSources | undefined) {
    this.maxLevels = maxLevels
    this.sources = sources
  }

  /** Notes the source text of numbers. */
  addSources(sources: Iterable<readonly [object, ReadonlyMap<string, string>]>): void {
    for (const [container, numbers] of sources) {
      this.#ownSources ??= new Map(this.sources)
      this.#ownSources.set(container, numbers)
      this.sources = this.#ownSources
    }
  }

  /** Notes that the strings in a list or an object are texts of any type. */
  markTexts<Container extends object>(container: Container): Container {
    this.texts ??= new Set()
    this.texts.add(container)
    return container
  }

  /** Parses a text that is JSON. @param place for messages, such as `query/filter` */
  json(text: string | Uint8Array, place: string): unknown {
    // One is enough to refuse a list.
    if (this.problems.length > 0) return undefined
    try {
      const { value, sources } = parseJson(typeof text === 'string' ? Buffer.from(text) : text, this.maxLevels)
      this.addSources(sources)
      return value
    } catch (error) {
      if (!(error instanceof MalformedJson || error instanceof RefusedJson)) throw error
      this.problems.push(error.message.replace(/^(?:the )?body/, place))
      return undefined
    }
  }
}

/** What the text of a parameter, of a property or of an item stands for. */
export type TextShape = 'text' | 'list' | 'object' | 'file'

/** The shape of a text by its schema. Where the schema allows a string, it is a text. */
export function shapeOf(schema: Subschema, schemas: NamedSchemas): TextShape {
  const types = typesOf(schema, schemas)
  types.delete('null')
  if (types.size === 1 && types.has('array')) return 'list'
  if (types.has('object') && !types.has('string')) return 'object'
  const isFile = types.size === 1 && types.has('string') && inPlace(schema, schemas).some(isBinary)
  return isFile ? 'file' : 'text'
}

function isBinary({ format }: { format?: unknown }): boolean {
  return format === 'binary'
}

/** The shape of the items of a list. A list in a list is JSON, as an object is. */
export function itemShapeOf(schema: Subschema, schemas: NamedSchemas): TextShape {
  const shape = shapeOf(itemsOf(schema, schemas), schemas)
  return shape === 'list' ? 'object' : shape
}
