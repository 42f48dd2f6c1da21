import fc from 'fast-check'
import type { Subschema } from 'fastify-contract/schema'
import { type FlatSchema, type SchemaSource, flatten, namedTypesOf, sent, within } from '../draw/flat-schema.ts'
import { type Json, RawText } from '../draw/json-value.ts'
import { plainValue } from '../draw/plain-value.ts'
import { allowed, assertListed, exact, found } from '../draw/values.ts'
import { examplesOf } from '../ground/examples.ts'
import { NoGenerator, UnknownPart, attempt } from '../ground/no-generator.ts'
import { type Part, fieldOf } from './part.ts'
import { canBeWritten, withTexts } from './written-value.ts'

/** What a value is for a reader of its text. */
export type Shape = Exclude<Part['as'], 'styled' | 'item'> | 'list' | 'object'

/** What the values of a schema are where they are written: a text or a list among them is read as one. */
export function shapeOf(flat: FlatSchema, { as, objects }: Part): Shape {
  const types = [flat, ...flat.choices.flat().map((each) => flatten(each, flat.source))].flatMap(namedTypesOf)
  const hasParts = types.includes('array') || types.includes('object')
  if (as === 'deep') return hasParts ? 'deep' : 'text'
  if (as === 'item') return hasParts ? 'object' : 'text'
  if (as !== 'styled') return as
  if (types.includes('string') || !hasParts) return 'text'
  return types.includes('array') ? 'list' : objects === 'json' ? 'json' : 'object'
}

/**
 * Texts of visible characters without a comma, and in a cookie without `%`: others mean something else, or nothing, on their
 * way (RFC 9110, section 5.5).
 */
const openPatterns: Partial<Record<Part['path'][0], string>> = {
  header: '^[!-+.-~-]*$',
  cookie: '^[!#$&-+.-:<-[\\]-~-]*$',
}

/** Draws texts of a part that a URL or a header has room for, and that arrive where the contract leaves them open. */
export function sourceOf({ path, as }: Part, source: SchemaSource): SchemaSource {
  const [place] = path
  const own = { ...source, place: path.join('/') }
  if (place === 'body') return own
  return { ...own, longest: 200, openPattern: as === 'json' ? undefined : openPatterns[place] }
}

/** What every request has in place of a drawn value of a parameter. The name of a header has no case. */
export function givenOf({ path: [place], name }: Part, { given }: SchemaSource): string | undefined {
  if (place === 'body') return undefined
  return given?.get(`${place}/${place === 'header' ? name.toLowerCase() : name}`)
}

/** Whether every request has a parameter. */
export function isNeeded(part: Part, source: SchemaSource): boolean {
  return part.isRequired || givenOf(part, source) !== undefined
}

/** @throws NoGenerator when a parameter has content that the suite does not write */
export function assertKnown({ path: [place], schema, as, type }: Part, source: SchemaSource): void {
  if (place === 'body' || (as !== 'bytes' && as !== 'text') || (as === 'text' && mayBeText(flatten(schema, source))))
    return
  throw new NoGenerator(`cannot generate a parameter of ${type}`)
}

function mayBeText(flat: FlatSchema): boolean {
  const types = namedTypesOf(flat)
  return types.length === 0 || types.includes('string')
}

/**
 * Values of a part that can be sent, above all those that the contract names: of a parameter, only they may exist.
 *
 * @throws NoGenerator
 */
export function valuesOfPart(part: Part, source: SchemaSource): fc.Arbitrary<Json> {
  const given = givenOf(part, source)
  if (given !== undefined) return fc.constant(new RawText(given))
  const known = knownValues(part, source)
  const draw = () => drawnValues(part, sourceOf(part, source))
  const values = known.length === 0 ? draw() : attempt('', {}, draw)
  if (values === undefined) return fc.constantFrom(...known)
  if (known.length === 0) return values
  const [often, seldom] = knownWeights[part.path[0]] ?? [1, 2]
  return fc.oneof({ weight: often, arbitrary: fc.constantFrom(...known) }, { weight: seldom, arbitrary: values })
}

/** How often a known value is sent, and another one. */
const knownWeights: Partial<Record<Part['path'][0], [known: number, drawn: number]>> = { path: [2, 1], body: [1, 6] }

/** The examples and the default of a part that are valid, and can be sent. Bodies of text and bytes are not validated. */
function knownValues(part: Part, source: SchemaSource): Json[] {
  const { path, schema, as, exampled } = part
  const named = exampled.flatMap((each) => [...examplesOf(each).values()])
  const isBody = path[0] === 'body'
  if (isBody && as !== 'json' && as !== 'form') return named.filter((value) => typeof value === 'string')
  return [...named, ...(isBody ? [] : flatten(schema, source).examples)]
    .filter((value) => value !== undefined)
    .map(exact)
    .filter((value) => canBeWritten(value, part) && source.problemsOf(value, schema).length === 0)
}

/** @throws NoGenerator */
function drawnValues(part: Part, source: SchemaSource): fc.Arbitrary<Json> {
  const schema = drawnSchema(part, source)
  if (schema === undefined) return fc.uint8Array(bytesIn(part, source)).map((bytes) => Buffer.from(bytes))
  return writtenValues(flatten(schema, source), part)
}

/** How many bytes a body has. @throws NoGenerator */
function bytesIn({ schema }: Part, source: SchemaSource) {
  const { minLength = 0, maxLength = Infinity } = flatten(schema, source).assertions
  assertListed(minLength, `body of ${String(minLength)} bytes`)
  return { minLength, maxLength: Math.min(maxLength, minLength + 64) }
}

/** The value of a part that a reader expects: the first that the contract names, or else a plain one. @throws NoGenerator */
export function plainValueOf(part: Part, source: SchemaSource): Json {
  const given = givenOf(part, source)
  const [known] = given === undefined ? knownValues(part, source) : [new RawText(given)]
  if (known !== undefined) return known
  const schema = drawnSchema(part, source)
  if (schema === undefined) {
    const { minLength, maxLength } = bytesIn(part, source)
    return Buffer.from('text'.padEnd(minLength, 'text').slice(0, maxLength))
  }
  return plainValue(schema, sourceOf(part, source), 0, (value) => canBeWritten(value, part))
}

/** The schema by which values of a part are drawn; undefined for bytes. @throws NoGenerator where they are not known */
function drawnSchema(part: Part, source: SchemaSource): Subschema | undefined {
  assertKnown(part, source)
  const { schema, as, type } = part
  if (as !== 'text' && as !== 'bytes') return schema
  if (mayBeText(flatten(schema, source))) {
    if (as === 'text') return { allOf: [schema], type: 'string' }
    if (!/xml|yaml|zip|pdf/.test(type)) return undefined
  }
  throw new UnknownPart(`cannot generate a body of ${type}; give it an example`)
}

/** Values of a schema that can be written as a part is. @throws NoGenerator */
export function writtenValues(flat: FlatSchema, part: Part): fc.Arbitrary<Json> {
  const { assertions, properties, required, also, source } = flat
  const isWritten = (value: Json) => canBeWritten(value, part)
  const drawn = allowed(writable(flat, part))
  if (part.as !== 'form' && part.as !== 'deep') return found(drawn, isWritten, source)
  const schema = { ...assertions, properties, required, ...(also.length === 0 ? {} : { allOf: also }) }
  const isRight = (value: Json) => isWritten(value) && source.problemsOf(value, schema).length === 0
  return found(
    drawn.map((value) => withTexts(value, part)),
    isRight,
    source,
  )
}

/** A schema without what cannot be written: undeclared members beside declared ones, and objects in a text of a style. */
function writable(flat: FlatSchema, part: Part): FlatSchema {
  const whole = sent(flat)
  const { assertions, properties, required } = whole
  if (part.as === 'json') return whole
  if (part.as === 'deep') return { ...whole, source: { ...flat.source, isClosed: true } }
  const isOpen = Object.keys(flat.properties).length === 0 && assertions.additionalProperties !== false
  if (!namedTypesOf(flat).includes('object') || isOpen) return whole
  const isKept = ([name, property]: [string, Subschema]) => {
    const { as, objects } = fieldOf(part, name)
    const hasText = part.as === 'form' && (as === 'deep' || objects === 'json')
    return required.includes(name) || hasText || !namedTypesOf(within(flat, property)).includes('object')
  }
  return {
    ...whole,
    assertions: { ...assertions, additionalProperties: false },
    properties: Object.fromEntries(Object.entries(properties).filter(isKept)),
  }
}
