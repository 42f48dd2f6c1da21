import { type Ajv, type CodeKeywordDefinition, type FuncKeywordDefinition, type KeywordCxt, type Name, _ } from 'ajv'
import type { Validation } from './validation.ts'

/**
 * The limit of the work of one validation, in steps of some 0.4 µs: the application of a schema, a member of a list or a
 * map, or 16 characters. A body has `minSteps`, or more if it is large.
 */
const minSteps = 250_000
const stepsPerByte = 4

/** The counted work of one validation. */
export interface Work {
  done: number
  limit: number
  /** The whole value. */
  readonly root: unknown
  /** The bytes of it that defaults have added. */
  added: number
}

export function newWork(root: unknown): Work {
  return { done: 0, limit: minSteps, root, added: 0 }
}

/** A value takes too long to validate. The message names the place and the remedy. */
export class TooMuchWork extends Error {
  /** A JSON Pointer. */
  readonly place: string

  constructor(place: string, message: string) {
    super(message)
    this.place = place
  }
}

/** Counts work before it is done. @throws TooMuchWork */
export function countWork(work: Work, steps: number): void {
  if (!isTooMuch(work, steps)) return
  throw new TooMuchWork('', 'the body takes too long to validate; send fewer values, or nest fewer in one another')
}

/** Counts work before it is done. @returns whether it is beyond the limit */
export function isTooMuch(work: Work, steps: number): boolean {
  work.done += steps
  if (work.done <= work.limit) return false
  work.limit = Math.max(minSteps, (bytesOf(work.root) - work.added) * stepsPerByte)
  return work.done > work.limit
}

/** The size of a value as JSON text, in bytes, at least approximately. */
export function bytesOf(value: unknown): number {
  return sizeOf(value, 1, 1)
}

/** The steps of a function that looks at all of a value. */
export function stepsOf(value: unknown): number {
  return sizeOf(value, 1, 1 / 16)
}

function sizeOf(value: unknown, ofValue: number, ofCharacter: number): number {
  if (typeof value === 'string') return ofValue + value.length * ofCharacter
  if (typeof value !== 'object' || value === null) return ofValue
  const size = (member: unknown) => ofValue + sizeOf(member, ofValue, ofCharacter)
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + size(item), ofValue)
  const members = Object.entries(value)
  return members.reduce((sum, [name, member]) => sum + name.length * ofCharacter + size(member), ofValue)
}

/**
 * The keyword that `SchemaRewriter` adds to named schemas with references. If two alternatives of a schema refer back to
 * it, each level of a value doubles the time: 40 levels would take days.
 */
export const countedKeyword: FuncKeywordDefinition = {
  keyword: 'counted',
  before: '$ref',
  schemaType: 'boolean',
  errors: false,
  validate(this: Validation) {
    countWork(this.work, 1)
    return true
  },
}

const membersOf = (data: Name) => _`Object.keys(${data}).length`
const charactersOf = (data: Name) => _`${data}.length / 16`

/** Ajv's keywords whose work depends on the value. */
const counted = {
  items: (data: Name) => _`${data}.length`,
  additionalProperties: membersOf,
  propertyNames: membersOf,
  minLength: charactersOf,
  maxLength: charactersOf,
  format: charactersOf,
}

/** Makes keywords of Ajv count their work. The next schema that is applied compares it with the limit. */
export function countKeywords(ajv: Ajv): void {
  for (const [name, stepsIn] of Object.entries(counted)) {
    // Ajv's own definitions of these generate code.
    const keyword = ajv.getKeyword(name) as CodeKeywordDefinition
    const code = keyword.code.bind(keyword)
    keyword.code = (context: KeywordCxt, rule) => {
      context.gen.code(_`this.work.done += ${stepsIn(context.data)}`)
      code(context, rule)
    }
  }
}
