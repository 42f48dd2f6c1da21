import type { ContractOperation, Parameter } from '../document/document.ts'
import { isJson } from '../document/media-type.ts'
import { type NamedSchemas, typesOf } from '../schema/schema-parts.ts'
import { pairsOf, readCookies, splitPair, splitText, withoutPrototype } from './parameter-texts.ts'
import { type Reading, type TextShape, itemShapeOf, propertiesOf, shapeOf } from './texts.ts'

/** The parameters of a request by place and name, as they were sent or as this module took them apart. */
export interface ParameterTexts {
  path: Record<string, unknown>
  query: Record<string, unknown>
  /** By names in lower case. */
  header: Record<string, unknown>
  cookie: Record<string, unknown>
  /** Read elsewhere. */
  requestBody: unknown
}

/** A parameter that is not one text, in the words of OpenAPI 3.1, section 4.8.12. */
interface Structured {
  name: string
  in: Parameter['in']
  shape: TextShape | 'json'
  style: string
  explode: boolean
  /** The shape of the items of a list. */
  items: TextShape
  /** The declared properties of an object, with their shapes. */
  properties: ReadonlyMap<string, TextShape>
  /** Whether the object has other properties too. */
  isOpen: boolean
}

/** Takes the texts of an operation's parameters apart. */
export interface ParameterReader {
  /** The names of the declared headers and cookies, as the contract writes them. */
  headerNames: string[]
  /** @param url the path and query of the request target */
  read: (given: Pick<ParameterTexts, 'path' | 'query' | 'header'>, url: string, reading: Reading) => ParameterTexts
}

/** The schema of a parameter, also of one with `content`. */
export function schemaOfParameter({ schema, content }: Parameter): unknown {
  return schema ?? Object.values(content ?? {})[0]?.schema ?? true
}

export function createParameterReader(
  { path: template, parameters }: Pick<ContractOperation, 'path' | 'parameters'>,
  schemas: NamedSchemas,
): ParameterReader {
  const structured = parameters
    .map((parameter) => structureOf(parameter, schemas))
    .filter(({ shape }) => shape !== 'text')
  // An object whose properties are parameters of their own takes what the others leave.
  const isSpread = (one: Structured) =>
    one.in === 'query' && one.shape === 'object' && one.style === 'form' && one.explode
  const spread = structured.filter(isSpread)
  const others = structured.filter((one) => !isSpread(one))
  const namesIn = (place: Parameter['in']) => parameters.filter((one) => one.in === place).map(({ name }) => name)
  const [headerNames, cookieNames, queryNames] = [namesIn('header'), namesIn('cookie'), new Set(namesIn('query'))]
  const places = [...new Set(parameters.map((one) => one.in))]
  const isOnce = (one: Parameter) =>
    one.in === 'query' &&
    !typesOf(schemaOfParameter(one), schemas).has('array') &&
    !structured.some(({ name }) => name === one.name)
  const once = parameters.filter(isOnce).map(({ name }) => name)

  return {
    headerNames,
    read({ path, query, header }, url, reading) {
      const parts: ParameterTexts = {
        path,
        query: structured.length > 0 ? withoutPrototype(query) : query,
        // A copy, because coerced values replace texts.
        header: headerNames.length > 0 ? withoutPrototype(header) : header,
        cookie: cookieNames.length > 0 ? readCookies(header['cookie'], cookieNames, reading) : {},
        requestBody: undefined,
      }
      for (const place of places) reading.ofTexts(parts[place])
      for (const name of once) {
        if (Array.isArray(parts.query[name])) reading.problems.push(`query/${name} is repeated; send it once`)
      }
      for (const one of others) {
        const key = one.in === 'header' ? one.name.toLowerCase() : one.name
        const value = readOne(one, parts[one.in], { key, url, template, reading })
        if (value !== undefined) parts[one.in][key] = value
      }
      for (const one of spread) {
        const value = gather(one, parts.query, queryNames, reading)
        if (value !== undefined) parts.query[one.name] = value
      }
      return parts
    },
  }
}

function structureOf(parameter: Parameter, schemas: NamedSchemas): Structured {
  const { name, in: place, style = place === 'query' || place === 'cookie' ? 'form' : 'simple' } = parameter
  const schema = schemaOfParameter(parameter)
  const type = Object.keys(parameter.content ?? {})[0]
  const shape = type === undefined ? shapeOf(schema, schemas) : isJson(type) ? 'json' : 'text'
  const { declared, others, isAny } = propertiesOf(schema, schemas)
  return {
    name,
    in: place,
    // A file is a text here.
    shape: shape === 'file' ? 'text' : shape,
    style,
    // A cookie has one text for its name.
    explode: place !== 'cookie' && (parameter.explode ?? style === 'form'),
    items: itemShapeOf(schema, schemas),
    properties: new Map([...declared].map(([property, one]) => [property, shapeOf(one, schemas)])),
    isOpen: others === undefined ? isAny : others !== false,
  }
}

interface Place {
  key: string
  url: string
  template: string
  reading: Reading
}

/** Reads a parameter other than a text. @returns undefined if it is not there */
function readOne(one: Structured, texts: Record<string, unknown>, { key, url, template, reading }: Place): unknown {
  const place = `${one.in}/${key}`
  if (one.style === 'deepObject' && one.shape === 'object') return gatherDeep(one, texts, reading)
  const text = texts[key]
  if (text === undefined) return undefined
  if (one.shape === 'list' && one.in === 'query' && one.explode) return listOf([text].flat(), one, place, reading)
  if (typeof text !== 'string') {
    const remedy = one.shape === 'json' ? '' : ', with commas between the items'
    reading.problems.push(`${place} is repeated; send it once${remedy}`)
    return undefined
  }
  if (one.shape === 'json') return reading.json(text, place)
  const items = splitText(one, text, { url, template })
  if (one.shape === 'list') return listOf(items, one, place, reading)
  const entries = one.explode ? items.map(splitPair) : pairsOf(items)
  if (entries.every((entry) => entry.length === 2)) return objectOf(entries, one, place, reading)
  reading.problems.push(`${place} must be names and values${one.explode ? ', such as a=1,b=2' : ', such as a,1,b,2'}`)
  return undefined
}

/** Makes a list of texts. OpenAPI has no form for objects and lists in it: they are JSON. */
function listOf(texts: unknown[], { items }: Structured, place: string, reading: Reading): unknown[] {
  return reading.ofTexts(texts.map((text, index) => within(text, items, `${place}/${String(index)}`, reading)))
}

/** Makes an object of names and texts. A repeated name gets a list, which its schema may refuse. */
function objectOf(
  entries: readonly (readonly unknown[])[],
  { properties }: Structured,
  place: string,
  reading: Reading,
): Record<string, unknown> {
  const groups = Map.groupBy(entries, ([name]) => String(name))
  const members = [...groups].map(([name, group]): [string, unknown] => {
    const values = group.flatMap(([, value]) => value)
    const shape = properties.get(name)
    const isOne = values.length === 1 && shape !== 'list'
    return [name, isOne ? within(values[0], shape, `${place}/${name}`, reading) : reading.ofTexts(values)]
  })
  return reading.ofTexts(Object.fromEntries(members))
}

function within(text: unknown, shape: TextShape | undefined, place: string, reading: Reading): unknown {
  const isJsonText = shape === 'object' && typeof text === 'string'
  return isJsonText ? reading.json(text, place) : text
}

/** Takes the parameters `name[property]` out of a query. */
function gatherDeep(one: Structured, query: Record<string, unknown>, reading: Reading): unknown {
  const start = `${one.name}[`
  const keys = Object.keys(query).filter((key) => key.startsWith(start) && key.endsWith(']'))
  if (keys.length === 0) return undefined
  const entries = keys.map((key) => [key.slice(start.length, -1), query[key]] as const)
  for (const key of keys) Reflect.deleteProperty(query, key)
  return objectOf(entries, one, `query/${one.name}`, reading)
}

/** Takes the properties of an object out of a query, where they are parameters of their own. */
function gather(
  one: Structured,
  query: Record<string, unknown>,
  parameters: ReadonlySet<string>,
  reading: Reading,
): unknown {
  const keys = Object.keys(query).filter((key) => !parameters.has(key) && (one.isOpen || one.properties.has(key)))
  if (keys.length === 0) return undefined
  const entries = keys.map((key) => [key, query[key]] as const)
  for (const key of keys) Reflect.deleteProperty(query, key)
  return objectOf(entries, one, `query/${one.name}`, reading)
}
