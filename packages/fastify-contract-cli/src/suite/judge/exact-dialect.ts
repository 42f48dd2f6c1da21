import * as Browser from '@hyperjump/browser'
import { registerSchema } from '@hyperjump/json-schema/draft-2020-12'
import { addKeyword, defineVocabulary, loadDialect } from '@hyperjump/json-schema/experimental'
import * as Instance from '@hyperjump/json-schema/instance/experimental'
import { type AssertionName, type JsonType, type Schema, LinearPattern, textFormats } from 'fastify-contract/schema'
import { canonical, parseExactly } from '../ground/exact-json.ts'
import { isList, isNumber, isObject } from '../ground/members.ts'

type Node = Parameters<typeof Instance.typeOf>[0]

/** The vocabulary and the dialect have no page: the address is a name. */
const own = 'tag:fastify-contract,2026:'

/**
 * JSON Schema 2020-12 with exact numbers. The formats and patterns of texts are those of fastify-contract: JSON Schema leaves
 * open how formats are read, and JavaScript's own expressions may take forever.
 */
export const dialect = `${own}exact`

type Check = (given: unknown) => boolean

/** Of these, JSON Schema's own checks are as good: they read no number of a value. */
type Kept = `${'min' | 'max'}${'Length' | 'Items' | 'Contains' | 'Properties'}` | 'required' | 'dependentRequired'

/** Each makes the check of a keyword from its value. */
type Checks = { readonly [Name in Exclude<AssertionName, Kept>]: (value: Required<Schema>[Name]) => Check }

const checks: Checks = {
  type: (types) => (given) => [types].flat().some((type) => isOfType(given, type)),
  const: (constant) => isOneOf([constant]),
  enum: isOneOf,
  uniqueItems: (isOn) => (given) => !isOn || !isList(given) || new Set(given.map(canonical)).size === given.length,
  minimum: (bound) => numberCheck((given) => given >= bound),
  maximum: (bound) => numberCheck((given) => given <= bound),
  exclusiveMinimum: (bound) => numberCheck((given) => given > bound),
  exclusiveMaximum: (bound) => numberCheck((given) => given < bound),
  multipleOf: (factor) => numberCheck((given) => isMultiple(String(given), String(factor))),
  pattern: (source) => {
    const pattern = new LinearPattern(source)
    return textCheck((text) => pattern.test(text))
  },
  format: formatOf,
}

/**
 * The keywords of the dialect that replace those of JSON Schema. In a schema, their values are texts of JSON: a schema has
 * no bigint, and the values of `const` and `enum` are no schemas.
 */
export const exactKeywords = Object.keys(checks)

function numberCheck(isRight: (given: number | bigint) => boolean): Check {
  return (given) => !isNumber(given) || isRight(given)
}

function textCheck(isRight: (text: string) => boolean): Check {
  return (given) => typeof given !== 'string' || isRight(given)
}

function integerCheck(wrap: (integer: bigint) => bigint): Check {
  return numberCheck((given) => !isOfType(given, 'integer') || wrap(BigInt(given)) === BigInt(given))
}

function isOfType(value: unknown, type: JsonType): boolean {
  if (type === 'integer') return typeof value === 'bigint' || Number.isInteger(value)
  return typeOf(value) === type
}

function typeOf(value: unknown) {
  if (isNumber(value)) return 'number'
  if (value === null) return 'null'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'boolean'
  return isList(value) ? 'array' : 'object'
}

function isOneOf(constants: readonly unknown[]): Check {
  const canonicals = new Set(constants.map(canonical))
  return (given) => canonicals.has(canonical(given))
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

/** Stands for no format beside the type `integer`: such an integer is one that each JSON parser takes exactly. */
export const formatless = 'formatless'

const numberFormats: Record<string, Check> = {
  // RFC 8259, section 6.
  [formatless]: numberCheck((given) => !isOfType(given, 'integer') || Number.isSafeInteger(Number(given))),
  int32: integerCheck((integer) => BigInt.asIntN(32, integer)),
  int64: integerCheck((integer) => BigInt.asIntN(64, integer)),
  uint64: integerCheck((integer) => BigInt.asUintN(64, integer)),
  float: numberCheck((given) => Number.isFinite(Math.fround(Number(given)))),
  double: numberCheck((given) => Number.isFinite(Number(given))),
}

function formatOf(name: string): Check {
  const textFormat = Object.hasOwn(textFormats, name) ? textFormats[name] : undefined
  if (typeof textFormat === 'function') return textCheck(textFormat)
  return (Object.hasOwn(numberFormats, name) ? numberFormats[name] : undefined) ?? (() => true)
}

for (const [name, checkOf] of Object.entries(checks)) {
  addKeyword({
    id: `${own}${name}`,
    // `generate` has checked the values of all keywords.
    compile: (schema) => Promise.resolve(checkOf(parseExactly(Browser.value<string>(schema)) as never)),
    interpret: (check, instance) => check(Instance.value(instance)),
  })
}

defineVocabulary(dialect, Object.fromEntries(exactKeywords.map((name) => [name, `${own}${name}`])))
const vocabularies = ['core', 'applicator', 'validation', 'unevaluated'].map(
  (name) => `https://json-schema.org/draft/2020-12/vocab/${name}`,
)
// Later ones replace keywords of earlier ones.
loadDialect(dialect, Object.fromEntries([...vocabularies, dialect].map((name) => [name, true])), true)
// Its schemas are checked against no other.
registerSchema(true, dialect, 'https://json-schema.org/draft/2020-12/schema')

/** A value as the interpreter reads it: its numbers may be bigints. */
export function instanceOf(value: unknown, pointer = '', parent?: Node): Node {
  const children: Node[] = []
  // A bigint is read by the keywords above alone.
  const node = Instance.cons('', pointer, value as never, typeOf(value), children, parent)
  if (isList(value)) {
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
