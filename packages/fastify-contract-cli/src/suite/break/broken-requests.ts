import fc from 'fast-check'
import { type ContractOperation, type Parameter, kindOf } from 'fastify-contract/document'
import type { Subschema } from 'fastify-contract/schema'
import { bodySchema, bodyTypes, encodingsOf, partTypesOf } from '../write/bodies.ts'
import { type Break, breaksOf, noCounterexample } from './breaks.ts'
import { deepTexts } from '../write/deep-texts.ts'
import { routeOf } from '../ground/contract.ts'
import {
  type FlatSchema,
  type SchemaSource,
  flatten,
  isAllowed,
  sent,
  namedTypesOf,
  within,
} from '../draw/flat-schema.ts'
import type { Json } from '../draw/json-value.ts'
import { canBeSent, deepValues, forParameters, isDeepIn, schemaOf, sendable, textFormOf } from '../write/parameters.ts'
import { fitted, hasUsualSize } from '../write/request-size.ts'
import { type RequestParts, partsOf, written } from '../write/requests.ts'
import type { ContractRequest } from '../ground/contract-request.ts'
import type { ParameterValue } from '../write/parameters.ts'
import { textOf } from '../write/spellings.ts'
import { attempt } from '../ground/no-generator.ts'
import { found, listOf, memberOf, valuesOf } from '../draw/values.ts'

/** A rule about the values of requests, and requests that break it. */
export type RequestBreak = Break<ContractRequest>

/** A change of what a request is made of. */
type Change = (parts: RequestParts) => RequestParts

/** Rules that OpenAPI leaves open, or that other servers need not have. */
const libraryRules = [
  'canonical decimal form',
  'canonical form',
  'empty',
  'once',
  'integer',
  'format',
  'readOnly',
  'contentType',
]

/**
 * Lists each rule about the values of an operation's requests. The length of a list that is written as texts is not broken.
 *
 * @param isStrict also rules of fastify-contract that OpenAPI leaves open: repeated parameters, formats of texts, the one
 *   form of integers
 */
export function requestBreaksOf(operation: ContractOperation, source: SchemaSource, isStrict: boolean): RequestBreak[] {
  const requests = (breaks: Break<Change>[], type?: string): RequestBreak[] =>
    breaks
      .filter(({ rule }) => isStrict || !libraryRules.includes(rule))
      .map(({ draw, ...broken }) => {
        const change = ([parts, changed]: [RequestParts, Change]) => {
          const { parameters, ...others } = changed(parts)
          const isChanged = (each: ParameterValue) => !parts.parameters.includes(each)
          return written(operation, { parameters: fitted(parameters, isChanged, parts.way), ...others }, source)
        }
        const requests = () => fc.tuple(partsOf(operation, source, type), draw()).map(change)
        return { ...broken, draw: () => found(requests(), hasUsualSize, source, noCounterexample) }
      })
  const partBreaks = (name: string, list: () => RequestBreak[]) =>
    attempt(`${routeOf(operation)}: broken ${name}`, source, list) ?? []
  const types = bodyTypes(operation)
  return [
    ...operation.parameters.flatMap((parameter) =>
      partBreaks(parameter.name, () => requests(breaksOfParameter(parameter, forParameters(source), isStrict))),
    ),
    ...types.flatMap((type) => {
      const suffix = types.length === 1 ? '' : ` (${type})`
      const breaks = partBreaks(type, () => requests(breaksOfBody(operation, type, source), type))
      return breaks.map(({ place, ...broken }) => ({ place: `${place}${suffix}`, ...broken }))
    }),
  ]
}

/** Sends values in place of a parameter's: none, or several if it is repeated. */
function sentAs(parameter: Parameter, values: Json[]): Change {
  return ({ parameters, ...parts }) => {
    const others = parameters.filter(([{ name }]) => name !== parameter.name)
    return { ...parts, parameters: [...others, ...values.map((value): ParameterValue => [parameter, value])] }
  }
}

type Rule<Breaking = Json> = Omit<Break<Breaking>, 'place'>

function breaksOfParameter(parameter: Parameter, source: SchemaSource, isStrict: boolean): Break<Change>[] {
  const { required, in: place } = parameter
  // Where the server finds the fault.
  const placeName = place === 'querystring' ? 'query' : place
  const schema = sendable(parameter, source)
  // An empty header or cookie may count as none.
  const isSendable = (value: Json) => canBeSent(parameter, value) && (/^query/.test(place) || value !== '')
  const shape = textFormOf(parameter, source)
  // No path is without a text, and a header or a cookie has a pattern to be sent.
  const unbroken = place === 'path' ? 'minLength' : /^query/.test(place) ? undefined : 'pattern'
  const textBreaks = () =>
    rulesOfText(schema, source, { isSendable, whole: schemaOf(parameter) }).filter(({ rule }) => rule !== unbroken)
  const jsonBreaks = () =>
    breaksOf(schema, '', source).map(({ rule, draw }): Rule => {
      return { rule, draw: () => found(draw(), isSendable, source, noCounterexample) }
    })
  const rules = shape === 'json' ? jsonBreaks() : shape === 'text' ? textBreaks() : []
  const itemRules = shape === 'list' ? breaksOfItems(flatten(schema, source), isSendable) : []
  const sentOnce = rules.map(({ rule, draw }) => ({ rule, draw: () => draw().map((value) => [value]) }))
  const missing = { rule: 'required', draw: () => fc.constant<Json[]>([]) }
  const flat = flatten(schema, source)
  const deep = shape === 'deep' ? deepBreaks({ ...flat, properties: {} }, schema) : []
  const nestedBreaks = deep.map(({ place: at, rule, draw }): Break<Change> => {
    const draws = () => draw().map((value) => sentAs(parameter, [value]))
    return { place: `${place}/${parameter.name}${at}`, rule, draw: draws }
  })
  // A query without fields is none, and may be left out.
  const isBroken = ({ rule }: MemberBreak) => rule !== 'required' || required === true
  const members = shape === 'form' ? breaksOfMembers(flat, isDeepIn(parameter)).filter(isBroken) : []
  const memberBreaks = members.map(({ name, place: at, rule, draw }): Break<Change> => {
    const asMember =
      (member: Json): Change =>
      (parts) => {
        const [, value] = parts.parameters.find(([each]) => each === parameter) ?? []
        return sentAs(parameter, [{ ...(value as object), [name]: member }])(parts)
      }
    return { place: `query/${parameter.name}${at}`, rule, draw: () => draw().map(asMember) }
  })
  const itemBreaks = itemRules.map(({ place: at, rule, draw }): Break<Change> => {
    return {
      place: `${placeName}/${parameter.name}${at}`,
      rule,
      draw: () => draw().map((list) => sentAs(parameter, [list])),
    }
  })
  const own = [
    ...sentOnce,
    ...(shape === 'text' && place !== 'querystring' && isStrict ? rulesOfForm(parameter, source) : []),
    ...(required === true && place !== 'path' ? [missing] : []),
  ].map(({ rule, draw }) => {
    return { place: `${placeName}/${parameter.name}`, rule, draw: () => draw().map((some) => sentAs(parameter, some)) }
  })
  return [...own, ...itemBreaks, ...nestedBreaks, ...memberBreaks]
}

/** Rules of the items of a list that is written as texts, and lists that break them wherever a server splits them. */
function breaksOfItems(list: FlatSchema, isSendable: (value: Json) => boolean = () => true): Break[] {
  const { items, minItems = 0 } = list.assertions
  if (namedTypesOf(list).join() !== 'array' || list.choices.length > 0 || items === undefined) return []
  if (!isOfText(within(list, items))) return []
  const lists = (values: fc.Arbitrary<Json>) => values.map((item) => listOf(item, Math.max(1, minItems)))
  const isOne = (value: Json[]) => /^[\w.+-]+$/.test(textOf(value[0])) && isSendable(value)
  return rulesOfText(items, list.source).map(({ rule, draw }) => {
    return { place: '/0', rule, draw: () => found(lists(draw()), isOne, list.source, noCounterexample) }
  })
}

/** Whether a schema is one of scalars. */
function isOfText(flat: FlatSchema): boolean {
  const types = namedTypesOf(flat)
  return types.length > 0 && !types.includes('array') && !types.includes('object')
}

/** Rules of fastify-contract about how a parameter is written. */
function rulesOfForm(parameter: Parameter, source: SchemaSource): Rule<Json[]>[] {
  const schema = schemaOf(parameter)
  const type = namedTypesOf(flatten(schema, source)).join()
  const one = (texts: fc.Arbitrary<string>) => texts.filter((text) => canBeSent(parameter, text)).map((text) => [text])
  const isQuery = parameter.in === 'query'
  const rules: Rule<Json[]>[] = []
  if (type === 'boolean') rules.push({ rule: 'canonical form', draw: () => one(fc.constantFrom('1', 'yes', 'TRUE')) })
  if (type === 'integer') {
    // A schema of integers has no other values.
    // The quotes of a cookie are not part of its value (RFC 6265, section 4.1.1).
    const isOther = (form: string) => parameter.in !== 'cookie' || !/^".*"$/.test(form)
    const texts = () =>
      valuesOf(schema, source).chain((integer) => fc.constantFrom(...otherForms(integer as bigint).filter(isOther)))
    rules.push({ rule: 'canonical decimal form', draw: () => one(texts()) })
    if (isQuery) rules.push({ rule: 'empty', draw: () => fc.constant(['']) })
  }
  const values = () => valuesOf(schema, source)
  if (isQuery) rules.push({ rule: 'once', draw: () => fc.tuple(values(), values()) })
  return rules
}

function breaksOfBody(operation: ContractOperation, type: string, source: SchemaSource): Break<Change>[] {
  const schema = bodySchema(operation, type)
  if (schema === undefined) return []
  const asBody = ({ draw, ...broken }: Break): Break<Change> => ({
    ...broken,
    draw: () => draw().map((body) => (parts) => ({ ...parts, body })),
  })
  switch (kindOf(type)) {
    case 'json':
      return breaksOf(schema, 'body', source).map(asBody)
    case 'text':
      return rulesOfText(schema, source).map((rule) => asBody({ place: 'body', ...rule }))
    case 'form':
    case 'multipart':
      return breaksOfFields(operation, type, source)
    case 'bytes':
      return []
  }
}

function breaksOfFields(operation: ContractOperation, type: string, source: SchemaSource): Break<Change>[] {
  const flat = flatten(bodySchema(operation, type) ?? {}, source)
  const encodings = encodingsOf(operation, type)
  const members = breaksOfMembers(
    flat,
    (name) => encodings[name]?.style === 'deepObject',
    (name) => encodings[name]?.style === undefined && encodings[name]?.explode === undefined,
  )
  const typed = Object.entries(partTypesOf(operation, type)).flatMap(([name, media]): Break<Change>[] => {
    const { [name]: property } = flat.properties
    if (property === undefined || media === 'text/plain') return []
    const draw = () =>
      memberOf(flat, property).map((value): Change => ({ body, ...parts }) => {
        return { ...parts, body: { ...(body as object), [name]: value }, otherTypes: { [name]: 'other/other' } }
      })
    return [{ place: `body/${name}`, rule: 'contentType', draw }]
  })
  return [
    ...members.map(({ name, place, rule, draw }): Break<Change> => {
      const asBody =
        (value: Json): Change =>
        ({ body, ...parts }) => {
          return { ...parts, body: { ...(body as object), [name]: value } }
        }
      return { place: `body${place}`, rule, draw: () => draw().map(asBody) }
    }),
    ...typed,
  ]
}

/** A rule of a member of an object, and values of the member that break it. */
interface MemberBreak extends Break {
  name: string
}

/**
 * Rules of the members of an object that is written as texts.
 *
 * @param isDeep whether a member is written deeply
 * @param isWhole whether a member that is an object is written as JSON
 */
function breaksOfMembers(
  whole: FlatSchema,
  isDeep: (name: string) => boolean,
  isWhole: (name: string) => boolean = () => false,
): MemberBreak[] {
  const { properties, required, source } = sent(whole)
  const missing = required.map((name): MemberBreak => {
    return { name, place: `/${name}`, rule: 'required', draw: () => fc.constant([]) }
  })
  const rulesOf = (name: string, property: Subschema): Break[] => {
    const flat = flatten(property, source)
    if (isOfText(flat)) return rulesOfText(property, source).map((rule) => ({ place: '', ...rule }))
    if (isDeep(name)) return deepBreaks(whole, property)
    if (namedTypesOf(flat).join() !== 'object' || !isWhole(name)) return breaksOfItems(flat)
    // A text that is no JSON is another one.
    return breaksOf(property, '', source).filter(({ place, rule }) => place !== '' || rule !== 'type')
  }
  const wrong = Object.entries(properties).flatMap(([name, property]) => {
    const rules = attempt(name, source, () => rulesOf(name, property)) ?? []
    return rules.map(({ place, ...broken }): MemberBreak => ({ ...broken, name, place: `/${name}${place}` }))
  })
  return [...missing, ...wrong]
}

/** Rules within a value that is written deeply, and values that break them. */
function deepBreaks(around: FlatSchema, schema: Subschema): Break[] {
  const list = (): Break[] => {
    const flat = within(around, schema)
    const types = namedTypesOf(flat).join()
    const { items } = flat.assertions
    if (types === 'array' && items !== undefined) {
      return deepBreaks(flat, items).map(({ place, rule, draw }) => {
        return { place: `/0${place}`, rule, draw: () => draw().map((item) => [item]) }
      })
    }
    if (types !== 'object') return []
    return breaksOfMembers(flat, () => true).map(({ name, draw, ...broken }) => {
      const draws = () =>
        fc.tuple(deepValues(flat), draw()).map(([value, member]) => ({ ...(value as object), [name]: member }))
      // What has no text is not there, and may be left out.
      const isThere = (value: Json) => deepTexts('', value).length > 0
      return { ...broken, draw: () => found(draws(), isThere, flat.source, noCounterexample) }
    })
  }
  return attempt('a deep object', around.source, list) ?? []
}

interface TextOptions {
  isSendable: (value: Json) => boolean
  /** The schema that a value must break, where values are drawn from a narrower one. */
  whole: Subschema
}

/** Rules of a value that is sent as a text, and values whose texts break them whatever they are read as. */
function rulesOfText(
  schema: Subschema,
  source: SchemaSource,
  { isSendable, whole }: TextOptions = { isSendable: () => true, whole: schema },
): Rule[] {
  const isRight = isAllowed(flatten(whole, source))
  const isWrong = (value: Json) =>
    value !== null && typeof value !== 'object' && isSendable(value) && !readingsOf(textOf(value)).some(isRight)
  const texts = ['a', 'NaN', '-', '1,5x'].filter(isWrong)
  const typeRule = { rule: 'type', draw: () => fc.constantFrom<Json[]>(...texts) }
  const rules = breaksOf(schema, '', source).filter(({ rule }) => !['type', 'integer'].includes(rule))
  return [
    ...rules.map(({ rule, draw }) => ({ rule, draw: () => found(draw(), isWrong, source, noCounterexample) })),
    ...(texts.length === 0 ? [] : [typeRule]),
  ]
}

/** What a server may read a text as. */
function readingsOf(text: string): Json[] {
  const isNumber = text.trim() !== '' && Number.isFinite(Number(text))
  return [
    text,
    ...(/^-?\d+$/.test(text) ? [BigInt(text)] : isNumber ? [Number(text)] : []),
    ...(/^(?:true|false|0|1)$/.test(text) ? [text === 'true' || text === '1'] : []),
    ...(text === '' || text === 'null' ? [null] : []),
  ]
}

/** Texts that are integers for many a parser, and not in the one form that a parameter may have. */
function otherForms(integer: bigint): string[] {
  const forms = ['$.0', '$.', '$e0', ' $', '$ ', '$\n', '$n', '$_0', '$,0', '$\0', '"$"', '-0', '-', 'NaN', 'null', 'a']
  const [sign, digits] = integer < 0n ? ['-', String(-integer)] : ['', String(integer)]
  const arabic = Array.from(digits, (digit) => String.fromCodePoint(0x660 + Number(digit))).join('')
  const digitForms = [`+${digits}`, `--${digits}`, `${sign}0${digits}`, `${sign}0x${digits}`, `${sign}${arabic}`]
  return [...forms.map((form) => form.replace('$', String(integer))), ...digitForms]
}
