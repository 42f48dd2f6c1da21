import fc from 'fast-check'
import { type ContractOperation, type Parameter, kindOf } from 'fastify-contract/document'
import type { Schema } from 'fastify-contract/schema'
import { bodySchema, bodyTypes } from './bodies.ts'
import { breaksOf } from './breaks.ts'
import { routeOf } from './contract.ts'
import { type Json, type SchemaSource, flatten, inRequests, isAllowed, typesOf } from './flat-schema.ts'
import { canBeSent, schemaOf, sendable, shapeOf } from './parameters.ts'
import { type ContractRequest, type RequestParts, partsOf, written } from './requests.ts'
import { textOf } from './spellings.ts'
import { attempt } from './undrawable.ts'
import { valueOf } from './values.ts'

/** A rule about the values of requests, and what breaks it; undefined where the suite does not know how. */
type Rule<Breaking> = [place: string, rule: string, breaking: fc.Arbitrary<Breaking> | undefined]

/** A change of what a request is made of. */
type Change = (parts: RequestParts) => RequestParts

/**
 * Lists each rule about the values of an operation's requests. The items of lists in parameters are not broken.
 *
 * @param isStrict also rules of fastify-contract that OpenAPI leaves open: unknown and repeated parameters, formats of
 *   texts, the one form of integers
 * @throws Undrawable when no valid request is known
 */
export function requestBreaksOf(
  operation: ContractOperation,
  contract: SchemaSource,
  isStrict: boolean,
): Rule<ContractRequest>[] {
  const ofParameters: Rule<Change>[] = [
    ['query', 'unknown parameter', unknownNames(operation).map((name) => sentAs({ name, in: 'query' }, ['1']))],
    ...operation.parameters.flatMap(
      (parameter) =>
        attempt(`${routeOf(operation)}: broken ${parameter.name}`, contract, () =>
          rulesOf(parameter, contract, isStrict),
        ) ?? [],
    ),
  ]
  const types = bodyTypes(operation)
  const requests = ([place, rule, changes]: Rule<Change>, type?: string): Rule<ContractRequest> => {
    const changed = changes && fc.tuple(partsOf(operation, contract, type), changes)
    return [place, rule, changed?.map(([drawn, change]) => written(operation, change(drawn), contract))]
  }
  const isKept = ([, rule]: Rule<unknown>) => isStrict || !ofLibrary.includes(rule)
  return [
    ...ofParameters.filter(isKept).map((rule) => requests(rule)),
    ...types.flatMap((type) => {
      const suffix = types.length === 1 ? '' : ` (${type})`
      const rules = attempt(`${routeOf(operation)}: broken ${type}`, contract, () =>
        rulesOfBody(operation, type, contract)
          .filter(isKept)
          .map((rule) => requests(rule, type)),
      )
      return (rules ?? []).map(([at, ...rest]): Rule<ContractRequest> => [`${at}${suffix}`, ...rest])
    }),
  ]
}

/** Rules that other servers need not have. */
const ofLibrary = [
  'unknown parameter',
  'canonical decimal form',
  'canonical form',
  'empty',
  'once',
  'integer',
  'format',
]

function unknownNames({ parameters }: ContractOperation): fc.Arbitrary<string> {
  return fc
    .oneof(
      fc.constantFrom('limt', 'Limit', 'limit[]', 'limit ', 'offset', 'access_token', 'constructor', '__proto__'),
      fc.stringMatching(/^[a-z]{1,12}$/),
    )
    .filter((name) => !parameters.some((parameter) => parameter.name === name))
}

/** Sends values in place of a parameter's: none, or several if it is repeated. */
function sentAs(parameter: Parameter, values: Json[]): Change {
  return ({ parameters, ...parts }) => {
    const others = parameters.filter(([{ name }]) => name !== parameter.name)
    return { ...parts, parameters: [...others, ...values.map((value): [Parameter, Json] => [parameter, value])] }
  }
}

function rulesOf(parameter: Parameter, contract: SchemaSource, isStrict: boolean): Rule<Change>[] {
  const { required, in: place } = parameter
  const schema = sendable(parameter, contract)
  const one = (values: fc.Arbitrary<Json>) => values.map((value) => [value])
  // An empty header or cookie may count as none.
  const isSendable = (value: Json) => canBeSent(parameter, value) && (place === 'query' || value !== '')
  const shape = shapeOf(parameter, contract)
  const rules: [string, fc.Arbitrary<Json[]> | undefined][] = []
  if (shape === 'json') {
    for (const { rule, values } of breaksOf(schema, '', contract))
      rules.push([rule, values && one(values.filter(isSendable))])
  }
  if (shape === 'text') {
    // No path is without a text, and a header or a cookie has a pattern to be sent.
    const unbroken = place === 'path' ? ['minLength'] : place === 'query' ? [] : ['pattern']
    const ofText = rulesOfText(schema, contract, isSendable).filter(([rule]) => !unbroken.includes(rule))
    rules.push(
      ...ofText.map(([rule, values]): [string, fc.Arbitrary<Json[]> | undefined] => [rule, values && one(values)]),
    )
    if (isStrict) rules.push(...rulesOfForm(parameter, contract))
  }
  if (required === true && place !== 'path') rules.push(['required', fc.constant([])])
  return rules.map(([rule, values]) => {
    return [`${place}/${parameter.name}`, rule, values?.map((sent) => sentAs(parameter, sent))]
  })
}

/** Rules of fastify-contract about how a parameter is written. */
function rulesOfForm(parameter: Parameter, contract: SchemaSource): [string, fc.Arbitrary<Json[]>][] {
  const schema = schemaOf(parameter)
  const types = typesOf(flatten(schema, contract))
  const one = (texts: fc.Arbitrary<string>) => texts.filter((text) => canBeSent(parameter, text)).map((text) => [text])
  const isOf = (type: string) => types.join() === type
  const rules: [string, fc.Arbitrary<Json[]>][] = []
  if (isOf('boolean')) rules.push(['canonical form', one(fc.constantFrom('1', 'yes', 'TRUE'))])
  if (isOf('integer')) {
    // A schema of integers has no other values.
    const texts = valueOf(schema, contract).chain((integer) => fc.constantFrom(...otherForms(integer as bigint)))
    rules.push(['canonical decimal form', one(texts)])
    if (parameter.in === 'query') rules.push(['empty', fc.constant([''])])
  }
  if (parameter.in === 'query') rules.push(['once', fc.tuple(valueOf(schema, contract), valueOf(schema, contract))])
  return rules
}

function rulesOfBody(operation: ContractOperation, type: string, contract: SchemaSource): Rule<Change>[] {
  const schema = bodySchema(operation, type)
  if (schema === undefined) return []
  const asBody =
    (body: Json): Change =>
    (parts) => ({ ...parts, body })
  switch (kindOf(type)) {
    case 'json':
      return breaksOf(schema, 'body', contract).map(({ place, rule, values }) => [place, rule, values?.map(asBody)])
    case 'text':
      return rulesOfText(schema, contract).map(([rule, values]) => ['body', rule, values?.map(asBody)])
    case 'form':
    case 'multipart':
      return rulesOfFields(schema, contract)
    case 'bytes':
      return []
  }
}

function rulesOfFields(schema: Schema, contract: SchemaSource): Rule<Change>[] {
  const { properties, required } = inRequests(flatten(schema, contract))
  const withField =
    (name: string, value: Json): Change =>
    (parts) => {
      return { ...parts, body: { ...(parts.body as object), [name]: value } }
    }
  const missing = required.map((name): Rule<Change> => [`body/${name}`, 'required', fc.constant(withField(name, []))])
  const wrong = Object.entries(properties).flatMap(([name, property]) => {
    const types = typesOf(flatten(property, contract))
    if (types.length === 0 || types.includes('array') || types.includes('object')) return []
    return rulesOfText(property, contract).map(([rule, values]): Rule<Change> => {
      return [`body/${name}`, rule, values?.map((value) => withField(name, value))]
    })
  })
  return [...missing, ...wrong]
}

/** Rules of a value that is sent as a text, and values whose texts break them whatever they are read as. */
function rulesOfText(
  schema: Schema,
  contract: SchemaSource,
  isSendable: (value: Json) => boolean = () => true,
): [rule: string, values: fc.Arbitrary<Json> | undefined][] {
  const isRight = isAllowed(flatten(schema, contract))
  const isWrong = (value: Json) =>
    value !== null && typeof value !== 'object' && isSendable(value) && !readingsOf(textOf(value)).some(isRight)
  const texts = ['a', 'NaN', '-', '1,5x'].filter(isWrong)
  const rules = breaksOf(schema, '', contract).filter(({ rule }) => !['type', 'integer'].includes(rule))
  return [
    ...rules.map(({ rule, values }): [string, fc.Arbitrary<Json> | undefined] => {
      const isBreakable = values !== undefined && fc.sample(values, { seed: 1, numRuns: 50 }).some(isWrong)
      return [rule, isBreakable ? values.filter(isWrong) : undefined]
    }),
    ...(texts.length === 0 ? [] : [['type', fc.constantFrom<Json[]>(...texts)] as [string, fc.Arbitrary<Json>]]),
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
  const ofDigits = [`+${digits}`, `--${digits}`, `${sign}0${digits}`, `${sign}0x${digits}`, `${sign}${arabic}`]
  return [...forms.map((form) => form.replace('$', String(integer))), ...ofDigits]
}
