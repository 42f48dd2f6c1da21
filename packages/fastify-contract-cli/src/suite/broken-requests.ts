import fc from 'fast-check'
import type { ContractOperation, Parameter } from 'fastify-contract/document'
import { breaksOf } from './breaks.ts'
import type { TestedContract } from './contract.ts'
import { type Json, attempt, flatten, typesOf } from './flat-schema.ts'
import {
  type ContractRequest,
  type RequestParts,
  bodySchema,
  canBeSent,
  isList,
  partsOf,
  sendable,
  written,
} from './requests.ts'
import { valueOf } from './values.ts'

/** A rule about the values of requests, and what breaks it; undefined where the suite does not know how. */
type Rule<Breaking> = [place: string, rule: string, breaking: fc.Arbitrary<Breaking> | undefined]

/** A change of what a request is made of. */
type Change = (parts: RequestParts) => RequestParts

/**
 * Lists each rule about the values of an operation's requests. Lists in parameters are sent, and not broken.
 *
 * @param isStrict also rules of fastify-contract that OpenAPI leaves open: unknown and repeated parameters, formats of
 *   texts, the one form of integers
 * @throws Undrawable when no valid request is known
 */
export function requestBreaksOf(
  operation: ContractOperation,
  contract: TestedContract,
  isStrict: boolean,
): Rule<ContractRequest>[] {
  const schema = bodySchema(operation)
  const ofBody = (schema === undefined ? [] : breaksOf(schema, 'body', contract)).map(
    ({ place, rule, values }): Rule<Change> => [place, rule, values?.map((body) => (parts) => ({ ...parts, body }))],
  )
  const broken = operation.parameters.filter((parameter) => !isList(parameter, contract))
  const rules: Rule<Change>[] = [
    ['query', 'unknown parameter', unknownNames(operation).map((name) => sentAs({ name, in: 'query' }, ['1']))],
    ...broken.flatMap(
      (parameter) =>
        attempt(`${operation.id}: broken ${parameter.name}`, contract, () => rulesOf(parameter, contract, isStrict)) ??
        [],
    ),
    ...ofBody,
  ]
  const parts = partsOf(operation, contract)
  return rules
    .filter(([, rule]) => isStrict || !ofLibrary.includes(rule))
    .map(([place, rule, changes]) => {
      const changed = changes && fc.tuple(parts, changes).map(([drawn, change]) => change(drawn))
      return [place, rule, changed?.map((drawn) => written(operation, drawn))]
    })
}

/** Rules that other servers need not have. */
const ofLibrary = ['unknown parameter', 'canonical decimal form', 'empty', 'once', 'integer', 'format']

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

function rulesOf(parameter: Parameter, contract: TestedContract, isStrict: boolean): Rule<Change>[] {
  const { required, in: place } = parameter
  const schema = sendable(parameter, contract)
  const [type] = typesOf(flatten(schema, contract))
  const one = (values: fc.Arbitrary<Json>) =>
    values.filter((value) => canBeSent(parameter, value)).map((value) => [value])
  // Every value is a text here, no path is without one, and a header or a cookie has a pattern to be sent.
  const unbroken = ['type', ...(place === 'path' ? ['minLength'] : place === 'query' ? [] : ['pattern'])]
  const rules: [string, fc.Arbitrary<Json[]> | undefined][] = breaksOf(schema, '', contract)
    .filter(({ rule }) => !unbroken.includes(rule))
    .map(({ rule, values }) => [rule, values && one(values)])
  if (type === 'number') rules.push(['type', one(fc.constantFrom('a', 'NaN', '0x1', '1,5'))])
  if (type === 'boolean') rules.push(['type', one(fc.constantFrom('a', ...(isStrict ? ['1', 'yes', 'TRUE'] : [])))])
  if (type === 'integer') {
    if (!isStrict) rules.push(['type', one(fc.constantFrom('a', 'NaN', '-'))])
    // A schema of integers has no other values.
    const texts = valueOf(schema, contract).chain((integer) => fc.constantFrom(...otherForms(integer as bigint)))
    rules.push(['canonical decimal form', one(texts)])
    if (place === 'query') rules.push(['empty', fc.constant([''])])
  }
  if (place === 'query') rules.push(['once', fc.tuple(valueOf(schema, contract), valueOf(schema, contract))])
  if (required === true && place !== 'path') rules.push(['required', fc.constant([])])
  return rules.map(([rule, values]) => {
    return [`${place}/${parameter.name}`, rule, values?.map((sent) => sentAs(parameter, sent))]
  })
}

/** Texts that are integers for many a parser, and not in the one form that a parameter may have. */
function otherForms(integer: bigint): string[] {
  const forms = ['$.0', '$.', '$e0', ' $', '$ ', '$\n', '$n', '$_0', '$,0', '$\0', '"$"', '-0', '-', 'NaN', 'null', 'a']
  const [sign, digits] = integer < 0n ? ['-', String(-integer)] : ['', String(integer)]
  const arabic = Array.from(digits, (digit) => String.fromCodePoint(0x660 + Number(digit))).join('')
  const ofDigits = [`+${digits}`, `--${digits}`, `${sign}0${digits}`, `${sign}0x${digits}`, `${sign}${arabic}`]
  return [...forms.map((form) => form.replace('$', String(integer))), ...ofDigits]
}
