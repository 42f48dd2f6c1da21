import * as Browser from '@hyperjump/browser'
import { registerSchema } from '@hyperjump/json-schema/draft-2020-12'
import { addKeyword, defineVocabulary, loadDialect } from '@hyperjump/json-schema/experimental'
import * as Instance from '@hyperjump/json-schema/instance/experimental'
import { LinearPattern, textFormats } from 'fastify-contract/schema'
import { canonical, parseExactly } from '../ground/exact-json.ts'
import { isNumber, isObject } from '../ground/members.ts'

type Node = Parameters<typeof Instance.typeOf>[0]

/** The vocabulary and the dialect have no page: the address is a name. */
const own = 'tag:fastify-contract,2026:'

/**
 * JSON Schema 2020-12 with exact numbers. The formats and patterns of texts are those of fastify-contract: JSON Schema leaves
 * open how formats are read, and JavaScript's own expressions may take forever.
 */
export const dialect = `${own}exact`

/**
 * The keywords of the dialect that replace those of JSON Schema. In a schema, their values are texts of JSON: a schema has
 * no bigint, and the values of `const` and `enum` are no schemas.
 */
export const exactKeywords = new Map<string, (value: unknown) => (given: unknown) => boolean>([
  ['type', (types) => (given) => [types].flat().some((type) => isOfType(given, type))],
  ['const', (constant) => (given) => canonical(given) === canonical(constant)],
  ['enum', (constants) => isOneOf(constants as unknown[])],
  ['uniqueItems', (isOn) => (given) => isOn !== true || !Array.isArray(given) || isUnique(given)],
  ['minimum', (bound) => numberCheck((given) => given >= (bound as number))],
  ['maximum', (bound) => numberCheck((given) => given <= (bound as number))],
  ['exclusiveMinimum', (bound) => numberCheck((given) => given > (bound as number))],
  ['exclusiveMaximum', (bound) => numberCheck((given) => given < (bound as number))],
  ['multipleOf', (factor) => numberCheck((given) => isMultiple(String(given), String(factor)))],
  ['pattern', (source) => matching(new LinearPattern(source as string))],
  ['format', (format) => formatOf(String(format))],
])

function numberCheck(isRight: (given: number | bigint) => boolean) {
  return (given: unknown) => !isNumber(given) || isRight(given)
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === 'number') return isNumber(value)
  if (type === 'integer') return typeof value === 'bigint' || Number.isInteger(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'null') return value === null
  return typeof value === type && value !== null && !Array.isArray(value)
}

function isOneOf(constants: readonly unknown[]): (given: unknown) => boolean {
  const canonicals = new Set(constants.map(canonical))
  return (given) => canonicals.has(canonical(given))
}

function isUnique(items: readonly unknown[]): boolean {
  return new Set(items.map(canonical)).size === items.length
}

/** Divides decimals as integers of as many places. */
function isMultiple(number: string, factor: string): boolean {
  const [a, b] = [decimalOf(number), decimalOf(factor)]
  const places = Math.max(a.places, b.places)
  const scaled = ({ digits, places: own }: typeof a) => digits * 10n ** BigInt(places - own)
  return scaled(b) !== 0n && scaled(a) % scaled(b) === 0n
}

function decimalOf(text: string): { digits: bigint; places: number } {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(text) ?? []
  const places = fraction.length - Number(exponent)
  const digits = BigInt(`${sign}${whole}${fraction}`)
  return places >= 0 ? { digits, places } : { digits: digits * 10n ** BigInt(-places), places: 0 }
}

function matching(pattern: LinearPattern) {
  return textCheck((text) => pattern.test(text))
}

const textCheck = (isRight: (text: string) => boolean) => (given: unknown) =>
  typeof given !== 'string' || isRight(given)
const integerCheck = (wrap: (integer: bigint) => bigint) =>
  numberCheck((given) => !isOfType(given, 'integer') || wrap(BigInt(given)) === BigInt(given))

/** Stands for no format beside the type `integer`: such an integer is one that each JSON parser takes exactly. */
export const formatless = 'formatless'

const numberFormats: Record<string, (given: unknown) => boolean> = {
  // RFC 8259, section 6.
  [formatless]: numberCheck((given) => !isOfType(given, 'integer') || Number.isSafeInteger(Number(given))),
  int32: integerCheck((integer) => BigInt.asIntN(32, integer)),
  int64: integerCheck((integer) => BigInt.asIntN(64, integer)),
  uint64: integerCheck((integer) => BigInt.asUintN(64, integer)),
  float: numberCheck((given) => Number.isFinite(Math.fround(Number(given)))),
  double: numberCheck((given) => Number.isFinite(Number(given))),
}

function formatOf(name: string): (given: unknown) => boolean {
  const textFormat = Object.hasOwn(textFormats, name) ? textFormats[name] : undefined
  if (typeof textFormat === 'function') return textCheck(textFormat)
  return (Object.hasOwn(numberFormats, name) ? numberFormats[name] : undefined) ?? (() => true)
}

for (const [name, checkOf] of exactKeywords) {
  addKeyword({
    id: `${own}${name}`,
    compile: (schema) => Promise.resolve(checkOf(parseExactly(Browser.value<string>(schema)))),
    interpret: (check, instance) => check(Instance.value(instance)),
  })
}

defineVocabulary(dialect, Object.fromEntries([...exactKeywords.keys()].map((name) => [name, `${own}${name}`])))
const vocabularies = ['core', 'applicator', 'validation', 'unevaluated'].map(
  (name) => `https://json-schema.org/draft/2020-12/vocab/${name}`,
)
// Later ones replace keywords of earlier ones.
loadDialect(dialect, Object.fromEntries([...vocabularies, dialect].map((name) => [name, true])), true)
// Its schemas are checked against no other.
registerSchema(true, dialect, 'https://json-schema.org/draft/2020-12/schema')

/** A value as the interpreter reads it: its numbers may be bigints. */
export function instanceOf(value: unknown, pointer = '', parent?: Node): Node {
  const type = isNumber(value) ? 'number' : value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
  const children: Node[] = []
  // JSON has no other types. The keywords that read values are those above.
  const node = Instance.cons('', pointer, value as never, type as Node['type'], children, parent)
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) children.push(instanceOf(item, `${pointer}/${String(index)}`, node))
  } else if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      const at = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
      const property = Instance.cons('', at, undefined, 'property', [], node)
      property.children.push(
        Instance.cons('', `*${at}`, name, 'string', [], property),
        instanceOf(member, at, property),
      )
      children.push(property)
    }
  }
  return node
}
