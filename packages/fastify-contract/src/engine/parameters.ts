import { type ContractOperation, type Parameter, stylesOf } from '../document/document.ts'
import { isJson } from '../document/media-type.ts'
import { typesOf } from '../schema/read/meaning.ts'
import type { NamedSchemas, Subschema } from '../schema/read/schema.ts'
import { createQuerystringReader } from './querystring.ts'
import { DeepTexts, namesBelow } from './deep-texts.ts'
import { type Written, decoderOf, rawValue, readCookies, splitText, withoutPrototype } from './parameter-texts.ts'
import { createRawPathReader } from './raw-path.ts'
import type { SplitTarget } from './request-target.ts'
import { type ItemsShape, type TextParts, listOf, objectOf, textPartsOf, valueOfItems } from './text-values.ts'
import { type Reading, type TextShape, shapeOf } from './texts.ts'

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

type NamedParameter = Parameter & Pick<Written, 'in'>

function isNamed(parameter: Parameter): parameter is NamedParameter {
  return parameter.in !== 'querystring'
}

/** A parameter that is not one text. */
interface Structured extends Written, TextParts {
  schema: Subschema
  decode: ItemsShape['decode']
}

/** Takes the texts of an operation's parameters apart. */
export interface ParameterReader {
  /** The names of the declared headers and cookies, as the contract writes them. */
  headerNames: string[]
  /** The parameter that is the whole query. */
  querystring: string | undefined
  read: (given: Pick<ParameterTexts, 'path' | 'query' | 'header'>, url: string, reading: Reading) => ParameterTexts
}

/** The schema of a parameter, also of one with `content`. */
export function schemaOfParameter({ schema, content }: Parameter): Subschema {
  return schema ?? Object.values(content ?? {})[0]?.schema ?? true
}

export function createParameterReader(
  { path: template, parameters: all }: Pick<ContractOperation, 'path' | 'parameters'>,
  schemas: NamedSchemas,
  splitTarget: SplitTarget,
): ParameterReader {
  const parameters = all.filter(isNamed)
  const whole = all.find((one) => one.in === 'querystring')
  const readWhole = whole === undefined ? undefined : createQuerystringReader(whole, schemas)
  const structured = parameters
    .map((parameter) => structureOf(parameter, schemas))
    .filter(({ shape, style }) => shape !== 'text' || /^(?:deepObject|label|matrix)$/.test(style))
  const deep = new DeepTexts(schemas)
  // An object whose properties are parameters of their own takes what the others leave.
  const isSpread = (one: Structured) =>
    one.in === 'query' && one.shape === 'object' && one.style === 'form' && one.explode
  const spread = structured.filter(isSpread)
  const others = structured.filter((one) => !isSpread(one))
  const namesIn = (place: NamedParameter['in']) => parameters.filter((one) => one.in === place).map(({ name }) => name)
  const [headerNames, cookieNames, queryNames] = [namesIn('header'), namesIn('cookie'), new Set(namesIn('query'))]
  const places = [...new Set(parameters.map((one) => one.in))]
  const isOnce = (one: Parameter) =>
    one.in === 'query' &&
    !typesOf(schemaOfParameter(one), schemas).has('array') &&
    !structured.some(({ name }) => name === one.name)
  const cookieRules = {
    isSplit: (name: string) =>
      structured.some((one) => one.in === 'cookie' && one.name === name && one.shape !== 'json'),
    // OpenAPI 3.2, section 4.12.4.
    isRaw: (name: string) => parameters.some((one) => one.style === 'cookie' && one.name === name),
  }
  const inPath = structured.filter((one) => one.in === 'path' && one.shape !== 'json').map(({ name }) => name)
  const readRawPath = inPath.length === 0 ? undefined : createRawPathReader(template, inPath)
  const readsTarget =
    whole !== undefined ||
    inPath.length > 0 ||
    structured.some((one) => one.in === 'query' && one.shape !== 'json' && !one.explode)
  const once = parameters.filter(isOnce).map(({ name }) => name)

  return {
    headerNames,
    querystring: whole?.name,
    read({ path, query, header }, url, reading) {
      const parts: ParameterTexts = {
        path,
        // A handler finds no inherited members.
        query: whole !== undefined ? {} : queryNames.size > 0 ? withoutPrototype(query) : query,
        // A copy, because coerced values replace texts.
        header: headerNames.length > 0 ? withoutPrototype(header) : header,
        cookie: cookieNames.length > 0 ? readCookies(header['cookie'], cookieNames, cookieRules, reading) : {},
        requestBody: undefined,
      }
      const target = readsTarget ? splitTarget(url) : undefined
      const sent = { query: target?.query ?? '', path: readRawPath?.(target?.path ?? '', path) }
      for (const place of places) reading.markTexts(parts[place])
      const value = readWhole?.(query, sent.query, reading)
      if (whole !== undefined && value !== undefined) parts.query[whole.name] = value
      for (const name of once) {
        if (Array.isArray(parts.query[name])) reading.problems.push(`query/${name} is repeated; send it once`)
      }
      for (const one of others) {
        const key = one.in === 'header' ? one.name.toLowerCase() : one.name
        const place: Place = { key, sent, reading }
        const value =
          (one.style === 'deepObject' ? gatherDeep(one, parts.query, deep, reading) : undefined) ??
          readOne(one, parts[one.in], place)
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

function structureOf(parameter: NamedParameter, schemas: NamedSchemas): Structured {
  const { name, in: place, style = stylesOf[place][0] ?? '' } = parameter
  const schema = schemaOfParameter(parameter)
  const type = Object.keys(parameter.content ?? {})[0]
  const shape = type === undefined ? shapeOf(schema, schemas) : isJson(type) ? 'json' : 'text'
  return {
    name,
    in: place,
    schema,
    // A file is a text here.
    shape: shape === 'file' ? 'text' : shape,
    style,
    // A cookie has one text for its name, and a deep object has a name for each text.
    explode: place !== 'cookie' && (style === 'deepObject' || (parameter.explode ?? style === 'form')),
    decode: decoderOf({ in: place, style }),
    ...textPartsOf(schema, schemas),
  }
}

/** What of a target is read before percent-decoding. */
interface Sent {
  query: string
  path: ReadonlyMap<string, string> | undefined
}

interface Place {
  key: string
  sent: Sent
  reading: Reading
}

/** Reads a parameter other than a plain text. @returns undefined if it is not there, or is a text */
function readOne(one: Structured, texts: Record<string, unknown>, { key, sent, reading }: Place): unknown {
  const place = `${one.in}/${key}`
  const text = texts[key]
  const isPrefixed = one.style === 'label' || one.style === 'matrix'
  if (text === undefined || (one.shape === 'text' && !isPrefixed)) return undefined
  if (one.in === 'query' && one.explode && one.shape === 'list') return listOf([text].flat(), one, place, reading)
  if (one.in === 'query' && one.explode && one.shape === 'object') return undefined
  if (typeof text !== 'string') {
    const remedy = one.shape === 'json' ? '' : ', with commas between the items'
    reading.problems.push(`${place} is repeated; send it once${remedy}`)
    return undefined
  }
  if (one.shape === 'json') return reading.json(text, place)
  const items = splitText(one, sentText(one, text, sent))
  if (items === undefined) {
    reading.problems.push(`${place} must begin with ${one.style === 'label' ? '.' : `;${one.name}=`}`)
    return undefined
  }
  if (one.shape === 'text') return one.decode(items.join())
  return valueOfItems(items, { ...one, shape: one.shape, isNamed: one.explode }, place, reading)
}

/** The text of a parameter, percent-encoded as it was sent. */
function sentText(one: Structured, text: string, { query, path }: Sent): string {
  if (one.in === 'query') return rawValue(query, one.name)
  return one.in === 'path' ? (path?.get(one.name) ?? '') : text
}

/**
 * Takes the parameters `name[property]` out of a query. What the schema does not declare is left there, and refused as an
 * unknown parameter is.
 */
function gatherDeep(one: Structured, query: Record<string, unknown>, deep: DeepTexts, reading: Reading): unknown {
  const parts = Object.entries(query).flatMap(([key, text]): [string, string[], unknown[]][] => {
    const path = namesBelow(one.name, key)
    return path !== undefined && deep.isDeclared(one.schema, path) ? [[key, path, [text].flat()]] : []
  })
  if (parts.length === 0) return undefined
  for (const [key] of parts) Reflect.deleteProperty(query, key)
  const place = `query/${one.name}`
  if (query[one.name] !== undefined) {
    reading.problems.push(`${place} is sent as a text and in parts; send one of them`)
    return undefined
  }
  const paths = parts.map(([, path, texts]) => [path, texts] as const)
  const readText = (text: unknown, shape: TextShape | 'any', path: readonly string[]) =>
    shape === 'object' && typeof text === 'string' ? reading.json(text, [place, ...path].join('/')) : text
  return deep.read(one.schema, paths, { place, reading, readText })
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
