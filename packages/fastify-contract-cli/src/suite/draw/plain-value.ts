import fc from 'fast-check'
import { type JsonType, type Subschema, isSchema } from 'fastify-contract/schema'
import { NoGenerator, attempt } from '../ground/no-generator.ts'
import { type FlatSchema, type SchemaSource, flatten, isAllowed, isDeep, merged } from './flat-schema.ts'
import { namedTypesOf, nullLast, sent, within } from './flat-schema.ts'
import type { Json } from './json-value.ts'
import { integerRange, numberRange } from './numbers.ts'
import { formatText, textRules, textsMatching } from './texts.ts'
import { assertListed, assertPossible, constantsOf, exact, leastItems } from './values.ts'

/** How many values are made for what may be left out of a plain value. */
const maxOptional = 2_000
/** How many values are made for a plain value in all. */
const maxParts = 100_000
/** How many of them are checked one by one, which is slow. */
const maxChecks = 500

/** Which of the values of a schema is made. */
interface Choice {
  /** Selects among alternatives, constants and neighbouring values. */
  index: number
  /** Whether examples within the schema are values. */
  hasExamples: boolean
  /** Whether objects have only what they must have. */
  isLeast: boolean
  /** How many more values are made for what may be left out. */
  optional: { left: number }
  /** How many more values are made in all, by this choice and others like it. */
  parts: { left: number }
  /** How many more of these values are checked before they are part of another; undefined checks none. */
  checks: { left: number } | undefined
}

/**
 * The value of a schema that a reader expects, always the same: an example, or plain texts and numbers of all properties.
 *
 * @param index selects another value where the schema has some
 * @param isRight what the value must be besides
 * @throws NoGenerator without a known value
 */
export function plainValue(
  schema: Subschema,
  source: SchemaSource,
  index = 0,
  isRight: (value: Json) => boolean = () => true,
): Json {
  const kind = source.direction === 'response' ? 'closed' : source.direction
  const some = { left: maxChecks }
  const [most, least] = [{ left: maxParts }, { left: maxParts }]
  const choices = [0, 1, 2, 3, 4].flatMap((step) =>
    (index === 0 ? [true, false] : [false]).flatMap((hasExamples) =>
      [false, true].flatMap((isLeast) =>
        [undefined, some].map((checks) => {
          return { index: index + step, hasExamples, isLeast, checks, parts: isLeast ? least : most }
        }),
      ),
    ),
  )
  for (const choice of choices) {
    const optional = { left: maxOptional }
    const value = attempt('', {}, () => valueOf(sent(flatten(schema, source)), { ...choice, optional }))
    if (value !== undefined && source.problemsOf(value, schema, kind).length === 0 && isRight(value)) return value
  }
  throw new NoGenerator('cannot generate a value of the schema')
}

/** @throws NoGenerator */
function valueOf(flat: FlatSchema, choice: Choice): Json {
  if (choice.parts.left-- <= 0) throw new NoGenerator('a schema has too many parts')
  const example = choice.hasExamples ? flat.examples.map(exact).find(isAllowed(flat)) : undefined
  if (example !== undefined) return example
  assertPossible(flat)
  const value = flat.choices.length > 0 ? alternativeOf(flat, choice) : typedValue(flat, choice)
  if (!isChecked(value, flat, choice)) throw new NoGenerator('the plain value of a schema breaks one of its rules')
  return value
}

function isChecked(value: Json, flat: FlatSchema, { checks }: Choice): boolean {
  return checks === undefined || (checks.left-- > 0 && isAllowed(flat)(value))
}

function memberOf(flat: FlatSchema, schema: Subschema, choice: Choice): Json {
  return valueOf(sent(within(flat, schema)), choice)
}

/** A value of the first alternative that has one, `null` last. */
function alternativeOf(flat: FlatSchema, choice: Choice): Json {
  const [alternatives = [], ...choices] = flat.choices
  const sorted = alternatives.toSorted(nullLast((part) => isSchema(part) && part.type))
  const start = choice.index % sorted.length
  for (const part of [...sorted.slice(start), ...sorted.slice(0, start)]) {
    const whole = () => valueOf(sent(merged({ ...flat, choices }, within(flat, part))), choice)
    const value = attempt('', {}, whole)
    if (value !== undefined && isChecked(value, flat, choice)) return value
  }
  throw new NoGenerator('no alternative of a schema has known values')
}

function typedValue(flat: FlatSchema, choice: Choice): Json {
  const { index } = choice
  const constants = constantsOf(flat)
  if (constants !== undefined) return constants[index % constants.length]
  switch (plainType(flat, index)) {
    case 'null':
      return null
    case 'boolean':
      return index % 2 === 0
    case 'integer':
      return plainInteger(flat, index)
    case 'number':
      return plainNumber(flat, index)
    case 'string':
      return plainText(flat, index)
    case 'array':
      return plainList(flat, choice)
    case 'object':
      return plainObject(flat, choice)
  }
}

/** The type of a plain value; of several, `null` comes last. */
function plainType(flat: FlatSchema, index: number): JsonType {
  const { assertions, required } = flat
  const types = namedTypesOf(flat).toSorted(nullLast((type) => type))
  if (types.length > 0) return types[index % types.length]!
  if (required.length > 0 || 'additionalProperties' in assertions || 'minProperties' in assertions) return 'object'
  if (assertions.items !== undefined) return 'array'
  return (assertions.minimum ?? assertions.maximum) === undefined ? 'string' : 'number'
}

/** 1, or what is nearest to it. */
function plainInteger(flat: FlatSchema, index: number): bigint {
  const { first, last, factor } = integerRange(flat)
  const start = first > 1n ? first : last < 1n ? last : 1n
  const count = start === last ? start - BigInt(index) : start + BigInt(index)
  return (count < first || count > last ? start : count) * factor
}

function plainNumber(flat: FlatSchema, index: number): number {
  const { min, max, largest, multiples } = numberRange(flat)
  const near = min > -largest ? min + 1 : max - 1
  const plainMultiples = multiples === undefined ? [] : [1n, multiples.first, multiples.last].map(multiples.valueOf)
  const candidates = [...plainMultiples, 1.5 + index, 1.5, min, max, (min + max) / 2, near, 0]
  const value = candidates.find(isAllowed(flat))
  if (value === undefined) throw new NoGenerator('cannot generate a number of the schema')
  return value
}

function plainText(flat: FlatSchema, index: number): string {
  const { min, max, format, expression } = textRules(flat)
  const isFitting = (text: string) => expression.test(text) && text.length >= min && text.length <= max
  const ofFormat = formatText(format)
  const text =
    format === 'uuid'
      ? `${ofFormat!.slice(0, -12)}${(0x2c963f66afa6 + index).toString(16)}`
      : (ofFormat ?? `text${index === 0 ? '' : String(index)}`.padEnd(min, 'text').slice(0, max))
  if (isFitting(text)) return text
  const texts = [...new Set(fc.sample(textsMatching(expression), { seed: 1, numRuns: 200 }))].filter(isFitting)
  const matching = texts.filter((each) => /^[ -~]*$/.test(each))[index] ?? texts[0]
  if (matching === undefined) throw new NoGenerator(`no text of the length has the pattern ${expression.source}`)
  return matching
}

/** A list of one item, or of as many as it must have. */
function plainList(flat: FlatSchema, choice: Choice): Json[] {
  const { prefixItems = [], contains, minContains = 1, items = {}, maxItems = Infinity } = flat.assertions
  const least = Math.max(leastItems(flat), prefixItems.length)
  assertListed(least)
  const length = least > 0 || isSpent(flat, choice) ? least : Math.min(1, maxItems)
  return Array.from({ length }, (_, at) => at).flatMap((at) => {
    const contained = contains === undefined || minContains === 0 ? items : { allOf: [items, contains] }
    const schema = prefixItems[at] ?? contained
    const other = { ...choice, index: choice.index + at, hasExamples: choice.hasExamples && at === 0 }
    const draw = () => [memberOf(flat, schema, at < prefixItems.length ? choice : other)]
    return at < least ? draw() : (attempt('', {}, draw) ?? [])
  })
}

/** Whether what may be left out of a value is left out. */
function isSpent(flat: FlatSchema, { isLeast, optional }: Choice): boolean {
  return isDeep(flat) || isLeast || optional.left-- <= 0
}

function plainObject(flat: FlatSchema, choice: Choice): Json {
  const { properties, required, assertions } = flat
  const members = Object.entries(properties).flatMap(([name, schema]): [string, Json][] => {
    const draw = (): [string, Json][] => [[name, memberOf(flat, schema, choice)]]
    if (required.includes(name)) return draw()
    return isSpent(flat, choice) ? [] : (attempt('', {}, draw) ?? [])
  })
  const { additionalProperties: others = true, minProperties = 0 } = assertions
  assertListed(minProperties, `object of ${String(minProperties)} properties`)
  if (others === false) return Object.fromEntries(members)
  // What is required and not described has any value.
  const undescribed = required.filter((name) => !Object.hasOwn(properties, name))
  const missing = Math.max(0, minProperties - members.length - undescribed.length)
  const added = Array.from({ length: missing }, (_, index) => `property${String(index + 1)}`)
  const more = [...undescribed, ...added].map((name): [string, Json] => [name, memberOf(flat, others, choice)])
  return Object.fromEntries([...members, ...more])
}
