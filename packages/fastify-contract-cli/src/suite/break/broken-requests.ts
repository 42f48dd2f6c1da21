import fc from 'fast-check'
import type { ContractOperation } from 'fastify-contract/document'
import { type Break, breaksOf, noCounterexample } from './breaks.ts'
import { routeOf } from '../ground/contract.ts'
import { type SchemaSource, flatten, namedTypesOf } from '../draw/flat-schema.ts'
import type { Json } from '../draw/json-value.ts'
import { found, valuesOf } from '../draw/values.ts'
import type { ContractRequest } from '../ground/contract-request.ts'
import { isList, isObject } from '../ground/members.ts'
import { attempt } from '../ground/no-generator.ts'
import { OfType } from '../write/bodies.ts'
import { once } from '../ground/once.ts'
import { type Part, bodyParts, fieldParts, parameterPart } from '../write/part.ts'
import { assertKnown, isNeeded, plainValueOf, shapeOf, sourceOf } from '../write/part-values.ts'
import { type RequestParts, memberAt, withValue } from '../write/request-parts.ts'
import { fitted, hasUsualSize } from '../write/request-size.ts'
import { likelyParts, written } from '../write/requests.ts'
import { Repeated, canBeWritten } from '../write/written-value.ts'

/** A request that breaks a rule, and the same one without the break. */
export interface BrokenRequest {
  request: ContractRequest
  base: ContractRequest
}

/** A rule about the values of requests, and requests that break it. */
export interface RequestBreak extends Omit<Break, 'draw'> {
  /** The media type of the bodies of its requests; undefined for each. */
  type: string | undefined
  /** @param accepted what most of the requests are made of, where there are some */
  draw: (accepted?: readonly RequestParts[]) => fc.Arbitrary<BrokenRequest>
}

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
 * Lists each rule about the values of an operation's requests.
 *
 * @param isStrict also rules of fastify-contract that OpenAPI leaves open: repeated parameters, formats of texts, the one
 *   form of integers
 */
export function requestBreaksOf(operation: ContractOperation, given: SchemaSource, isStrict: boolean): RequestBreak[] {
  const source = { ...given, route: routeOf(operation) }
  const bodies = bodyParts(operation)
  return [...operation.parameters.map(parameterPart), ...bodies].flatMap((whole) => {
    const own = sourceOf(whole, source)
    const list = () =>
      [whole, ...(whole.as === 'form' ? fieldParts(whole, own) : [])].flatMap((part) => {
        const plain = once(() => attempt('', {}, () => plainValueOf(part, source)))
        return breaksOfPart(part, own).map((broken) => requestBreak(operation, source, part, plain, broken))
      })
    const breaks = attempt(`broken ${whole.name}`, source, list) ?? []
    const suffix = whole.path[0] === 'body' && bodies.length > 1 ? ` (${whole.type})` : ''
    return breaks
      .filter(({ rule }) => isStrict || !libraryRules.includes(rule))
      .map(({ place, ...broken }) => ({ place: `${place}${suffix}`, ...broken }))
  })
}

/** Requests with one of these values of a part. */
function requestBreak(
  operation: ContractOperation,
  source: SchemaSource,
  part: Part,
  plain: () => Json,
  { draw, ...broken }: Break,
): RequestBreak {
  const [place, name] = part.path
  const isKept = (each: Part) => (each.path[0] === place && each.path[1] === name) || isNeeded(each, source)
  const type = place === 'body' ? part.type : undefined
  const inner = broken.place.slice(placeOf(part).length).split('/').slice(1)
  // With a member, a request may fail that succeeds without it.
  const whole = (valid: Json) => {
    if (part.as !== 'json' || memberAt(valid, inner) !== undefined) return valid ?? plain()
    const withPlain = grafted(valid ?? {}, plain(), inner)
    return source.problemsOf(withPlain, part.schema).length === 0 ? withPlain : (valid ?? plain())
  }
  const requests = (accepted: readonly RequestParts[]) =>
    fc.tuple(likelyParts(operation, source, accepted, type), draw()).map(([parts, value]) => {
      const valid = whole(memberAt(parts, part.path))
      const own = part.as === 'json' ? grafted(valid, value, inner) : value
      const changed = fitted(operation, withValue(parts, part, own), isKept)
      return {
        request: written(operation, changed, source),
        base: written(operation, withValue(changed, part, valid), source),
      }
    })
  const hasSize = ({ request }: BrokenRequest) => hasUsualSize(request)
  return { ...broken, type, draw: (accepted = []) => found(requests(accepted), hasSize, source, noCounterexample) }
}

/**
 * A valid value of JSON with what is broken in another one: what is beside it stays.
 *
 * @param names of the members that lead to what is broken
 */
function grafted(valid: Json, broken: Json, [name, ...names]: readonly string[]): Json {
  if (name === undefined) return broken
  if (isList(valid) && isList(broken)) {
    const index = Number(name)
    return index < Math.min(valid.length, broken.length)
      ? valid.with(index, grafted(valid[index], broken[index], names))
      : broken
  }
  if (!isObject(valid) || !isObject(broken)) return broken
  const own = Object.hasOwn(valid, name) ? valid[name] : undefined
  if (Object.hasOwn(broken, name)) return { ...valid, [name]: grafted(own, broken[name], names) }
  const { [name]: _own, ...others } = valid
  return names.length === 0 && own !== undefined ? others : broken
}

/** A fault of the whole query is found in the query. */
function placeOf({ path }: Part): string {
  return path.join('/').replace(/^querystring/, 'query')
}

/** The breaks of a part. A value that is undefined is missing. */
function breaksOfPart(part: Part, source: SchemaSource): Break[] {
  assertKnown(part, source)
  const { path, schema, isRequired } = part
  const place = placeOf(part)
  const breakOf = (rule: string, draw: Break['draw']): Break => ({ place, rule, draw })
  // An empty header or cookie may count as none.
  const isSent = (value: Json) => canBeWritten(value, part) && (value !== '' || /^(?:body|query)/.test(path[0]))
  return [
    ...breaksOf(schema, place, source, part).map(({ draw, ...broken }): Break => {
      return { ...broken, draw: () => found(draw(), isSent, source, noCounterexample) }
    }),
    ...formBreaks(part, source).map(([rule, draw]) => breakOf(rule, draw)),
    ...(isRequired && path.length > 1 && path[0] !== 'path' ? [breakOf('required', () => fc.constant(undefined))] : []),
  ]
}

/** Rules of fastify-contract about how a parameter, or a field of a form, is written, and what breaks them. */
function formBreaks(part: Part, source: SchemaSource): [rule: string, draw: Break['draw']][] {
  const {
    path: [place],
    schema,
    fieldType = 'text/plain',
  } = part
  const values = () => valuesOf(schema, source)
  if (fieldType !== 'text/plain') {
    return [['contentType', () => values().map((value) => new OfType('other/other', value))]]
  }
  const flat = flatten(schema, source)
  if (place === 'body' || place === 'querystring' || shapeOf(flat, part) !== 'text') return []
  const type = namedTypesOf(flat).join()
  const isQuery = place === 'query'
  const sendable = (texts: fc.Arbitrary<string>) => texts.filter((text) => canBeWritten(text, part))
  // A schema of integers has no other values.
  const forms = (integer: Json) => fc.constantFrom(...otherForms(BigInt(String(integer))))
  const rules: [rule: string, isThere: boolean, draw: Break['draw']][] = [
    ['canonical form', type === 'boolean', () => sendable(fc.constantFrom('1', 'yes', 'TRUE'))],
    ['canonical decimal form', type === 'integer', () => sendable(values().chain(forms))],
    ['empty', type === 'integer' && isQuery, () => fc.constant('')],
    ['once', isQuery, () => fc.tuple(values(), values()).map((two) => new Repeated(two))],
  ]
  return rules.filter(([, isThere]) => isThere).map(([rule, , draw]) => [rule, draw])
}

/** Texts that are integers for many a parser, and not in the one form that a parameter may have. */
function otherForms(integer: bigint): string[] {
  const forms = ['$.0', '$.', '$e0', ' $', '$ ', '$\n', '$n', '$_0', '$,0', '$\0', '"$"', '-0', '-', 'NaN', 'null', 'a']
  const [sign, digits] = integer < 0n ? ['-', String(-integer)] : ['', String(integer)]
  const arabic = Array.from(digits, (digit) => String.fromCodePoint(0x660 + Number(digit))).join('')
  const digitForms = [`+${digits}`, `--${digits}`, `${sign}0${digits}`, `${sign}0x${digits}`, `${sign}${arabic}`]
  return [...forms.map((form) => form.replace('$', String(integer))), ...digitForms]
}
