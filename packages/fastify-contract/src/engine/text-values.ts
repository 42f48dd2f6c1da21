import { othersOf, propertiesOf } from '../schema/read/meaning.ts'
import type { NamedSchemas, Subschema } from '../schema/read/schema.ts'
import { type Reading, type TextShape, itemShapeOf, shapeOf } from './texts.ts'

/** What is known of a list or an object whose parts are texts. */
export interface TextParts {
  items: TextShape
  properties: ReadonlyMap<string, TextShape>
  isOpen: boolean
}

export function textPartsOf(schema: Subschema, schemas: NamedSchemas): TextParts {
  const declared = propertiesOf(schema, schemas)
  return {
    items: itemShapeOf(schema, schemas),
    properties: new Map([...declared].map(([property, one]) => [property, shapeOf(one, schemas)])),
    isOpen: (othersOf(schema, schemas) ?? declared.size === 0) !== false,
  }
}

/** Makes a list of texts. OpenAPI has no form for objects and lists in it: they are JSON. */
export function listOf(
  texts: readonly unknown[],
  { items }: Pick<TextParts, 'items'>,
  place: string,
  reading: Reading,
): unknown[] {
  return reading.markTexts(texts.map((text, index) => readPart(text, items, `${place}/${String(index)}`, reading)))
}

/** Makes an object of names and texts. A repeated name gets a list, which its schema may refuse. */
export function objectOf(
  entries: readonly (readonly unknown[])[],
  { properties }: Pick<TextParts, 'properties'>,
  place: string,
  reading: Reading,
): Record<string, unknown> {
  const groups = Map.groupBy(entries, ([name]) => String(name))
  const members = [...groups].map(([name, group]): [string, unknown] => {
    const values = group.flatMap(([, value]) => value)
    const shape = properties.get(name)
    const isOne = values.length === 1 && shape !== 'list'
    return [name, isOne ? readPart(values[0], shape, `${place}/${name}`, reading) : reading.markTexts(values)]
  })
  return reading.markTexts(Object.fromEntries(members))
}

/** How the items of one text are read. */
export interface ItemsShape extends TextParts {
  shape: TextShape
  /** Whether an item of an object is `name=value`. */
  isNamed: boolean
  /** Decodes an item, or its name and its value. */
  decode: (text: string) => string
}

/** Makes a list or an object of the items of one text, each as it was sent. */
export function valueOfItems(items: string[], one: ItemsShape, place: string, reading: Reading): unknown {
  if (one.shape !== 'object') return listOf(items.map(one.decode), one, place, reading)
  const entries = (one.isNamed ? items.map(splitPair) : pairsOf(items)).map((entry) => entry.map(one.decode))
  if (entries.every((entry) => entry.length === 2)) return objectOf(entries, one, place, reading)
  reading.problems.push(`${place} must be names and values${one.isNamed ? ', such as a=1,b=2' : ', such as a,1,b,2'}`)
  return undefined
}

export function splitPair(item: string): string[] {
  return item.split(/=(.*)/s).slice(0, 2)
}

function pairsOf(items: string[]): string[][] {
  return items.flatMap((_, index) => (index % 2 === 0 ? [items.slice(index, index + 2)] : []))
}

function readPart(text: unknown, shape: TextShape | undefined, place: string, reading: Reading): unknown {
  const isJsonText = shape === 'object' && typeof text === 'string'
  return isJsonText ? reading.json(text, place) : text
}
