import { type Ajv, type Code, type Name, _ } from 'ajv'
import { type GeneratedKeyword, changeCode } from './guarded.ts'
import type { RewrittenSchema } from './rewritten-schema.ts'
import { type KeywordName, isKeyword } from '../read/schema.ts'

/**
 * The limit of the work of one validation, in steps of some 0.4 µs: the application of a schema, a member of a list or a
 * map, or 16 characters. A body has `minSteps`, or more if it is large.
 */
const minSteps = 250_000
const stepsPerByte = 4

/** A value takes too long to validate. The message names the place and the remedy. */
export class TooMuchWork extends Error {
  /** A JSON Pointer. */
  readonly place: string

  constructor(place: string, message: string) {
    super(message)
    this.place = place
  }
}

/** The counted work of one validation. The code of validators adds to it; see `isTooMuch`. */
export class Work {
  /** In steps. */
  done = 0
  /** That of a small value, until more is done. */
  limit: number
  #added = 0
  readonly #factor: number
  readonly #root: unknown

  /**
   * @param root the whole value
   * @param factor multiplies the limit
   */
  constructor(root: unknown, factor: number) {
    this.#root = root
    this.#factor = factor
    this.limit = minSteps * factor
  }

  /** Counts work before it is done. @throws TooMuchWork */
  count(steps: number): void {
    if (!this.isTooMuch(steps)) return
    throw new TooMuchWork('', 'the body takes too long to validate; send fewer values, or nest fewer in one another')
  }

  /** Counts work before it is done. @returns whether it is beyond the limit */
  isTooMuch(steps: number): boolean {
    this.done += steps
    if (this.done <= this.limit) return false
    this.limit = Math.max(minSteps, (bytesOf(this.#root) - this.#added) * stepsPerByte) * this.#factor
    return this.done > this.limit
  }

  /** Notes the bytes that a default adds to the value. They do not raise the limit. */
  add(bytes: number): void {
    this.#added += bytes
  }
}

/** The size of a value as JSON text, in bytes, at least approximately. */
export function bytesOf(value: unknown): number {
  return sizeOf(value, 1, 1)
}

/** The steps of a function that looks at all of a value. */
export function stepsOf(value: unknown): number {
  return sizeOf(value, 1, 1 / 16)
}

function sizeOf(value: unknown, valueSize: number, characterSize: number): number {
  if (typeof value === 'string') return valueSize + value.length * characterSize
  if (typeof value !== 'object' || value === null) return valueSize
  const size = (member: unknown) => valueSize + sizeOf(member, valueSize, characterSize)
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + size(item), valueSize)
  const members = Object.entries(value)
  return members.reduce((sum, [name, member]) => sum + name.length * characterSize + size(member), valueSize)
}

/** The code that counts work before it is done, and is true beyond the limit. Below it, it calls nothing. */
export function isTooMuch(steps: Code): Code {
  return _`(this.work.done += ${steps}) > this.work.limit && this.work.isTooMuch(0)`
}

/** The code that counts work likewise, and throws `TooMuchWork`. */
function counting(steps: Code): Code {
  return _`if ((this.work.done += ${steps}) > this.work.limit) this.work.count(0);`
}

/**
 * The keyword that `SchemaRewriter` adds to named schemas with references. If two alternatives of a schema refer back to
 * it, each level of a value doubles the time: 40 levels would take days.
 */
export const countedKeyword: GeneratedKeyword = {
  before: '$ref',
  schemaType: 'boolean',
  code({ gen }) {
    gen.code(counting(_`1`))
  },
}

const membersOf = (data: Name) => _`Object.keys(${data}).length`

/** The steps of Ajv's keywords that take long for a value, or for a schema. */
const stepsOfKeywords: Partial<Record<KeywordName, (data: Name, schema: RewrittenSchema) => Code | undefined>> = {
  items: (data) => _`${data}.length`,
  additionalProperties: (data, { additionalProperties }) =>
    additionalProperties === true ? undefined : membersOf(data),
  propertyNames: membersOf,
  format: (data) => _`${data}.length / 16`,
  // An object is searched for each declared property.
  properties: (_data, { properties = {} }) => stepsIf(Object.keys(properties).length / 32),
  allOf: (_data, { allOf = [] }) => stepsIf(allOf.length / 4),
}

function stepsIf(steps: number): Code | undefined {
  return steps < 1 ? undefined : _`${Math.ceil(steps)}`
}

/** Makes keywords of Ajv count their work. */
export function countKeywords(ajv: Ajv): void {
  changeCode(ajv, Object.keys(stepsOfKeywords).filter(isKeyword), (context, generate, name) => {
    const steps = stepsOfKeywords[name]?.(context.data, context.parentSchema)
    if (steps !== undefined) context.gen.code(counting(steps))
    generate()
  })
}
