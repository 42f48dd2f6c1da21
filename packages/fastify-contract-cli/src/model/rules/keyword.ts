import type { NamedSchemas } from 'fastify-contract/schema'
import { type Node, membersOf } from '../yaml/node.ts'

/** What becomes of a keyword. Ignored, it is removed with a warning; warned of, it is kept, because it is enforced in part. */
export interface Verdict {
  is: 'ignored' | 'warned' | 'rejected'
  /** The problem and the remedy. */
  text: string
  /** The member of its map that the problem is about. */
  member?: string | undefined
}

/** Asks what becomes of a keyword with a value, and changes nothing. */
export type Rule = (
  value: unknown,
  object: Node,
  context: KeywordContext,
) => Verdict | undefined | readonly (Verdict | undefined)[]

/** The form of a value, in the words of messages. */
export type Form = 'text' | 'true or false' | 'a number' | 'a count' | 'a list' | 'a list of names'

/** The treatment of a keyword of OpenAPI 3.1 or JSON Schema 2020-12. None is ignored without a word. */
export interface Keyword {
  /** Whether it is only documentation. Any other keyword is enforced, ignored or rejected. */
  isShown?: true
  /** The kind of the object that is its value, or of the objects in its list or map. */
  holds?: Kind | [Kind] | { each: Kind }
  /** The form of its value, unless it follows from `holds`. */
  is?: Form
  /** Whether an object of its kind must have it, or is served without it, with a warning. */
  isRequired?: true | 'by OpenAPI'
  /** Whether it is read as other keywords before any rule. */
  isMended?: true
  /** Its verdict: for any value, or for some values. */
  rule?: Verdict | Rule | undefined
}

/** The context of an object. */
export interface KeywordContext {
  /** The named schemas of the contract. */
  schemas: NamedSchemas
  /** Its security schemes, by name. */
  securitySchemes: ReadonlyMap<string, { type: unknown; isSupported: boolean }>
  /** Finds the operation that a link names: one that is served, or one that is left out or shares its operationId. */
  findOperation: (by: OperationName) => 'served' | 'written' | undefined
  role: Role
}

/** What a link names an operation by: its operationId, or a reference. */
export type OperationName = { id: unknown } | { reference: string }

/** The use of an object. `readOnly` and `default` apply only to some schemas; only an operation of `paths` is served. */
export type Role = 'property' | 'parameter' | 'named' | 'served' | 'other'

/** The objects of OpenAPI 3.1 (section 4.8). A Media Type Object of a request has other rules than one of a response. */
export type Kind =
  | 'document'
  | 'info'
  | 'server'
  | 'components'
  | 'pathItem'
  | 'operation'
  | 'parameter'
  | 'requestBody'
  | 'requestContent'
  | 'responseContent'
  | 'encoding'
  | 'response'
  | 'callback'
  | 'example'
  | 'link'
  | 'header'
  | 'schema'
  | 'discriminator'
  | 'securityScheme'

/** The keywords of a kind. */
export type Keywords = Record<string, Keyword>

/** The verdict of a keyword that is removed with a warning; none without a text. */
export function ignore(text: string | undefined): Verdict | undefined {
  return text === undefined ? undefined : { is: 'ignored', text }
}

/** The verdict of a keyword, or of a member of its map, that is kept with a warning; none without a text. */
export function warn(text: string | undefined, member?: string): Verdict | undefined {
  return text === undefined ? undefined : { is: 'warned', text, member }
}

/** The verdict of a keyword for which the contract is refused; none without a text. */
export function reject(text: string | undefined): Verdict | undefined {
  return text === undefined ? undefined : { is: 'rejected', text }
}

/** The names in a text, for the compiler. */
type Words<Text> = Text extends `${infer Word} ${infer Others}` ? Word | Words<Others> : Text & string

/** Keywords with the same treatment. @param names separated by spaces */
export function each<Names extends string>(names: Names, keyword?: Keyword): Record<Words<Names>, Keyword>
export function each(names: string, keyword: Keyword = {}): Keywords {
  return Object.fromEntries(names.split(' ').map((name) => [name, keyword]))
}

/** Keywords that are documentation. @param names separated by spaces */
export function shown<Names extends string>(names: Names, holds?: NonNullable<Keyword['holds']>) {
  return each(names, { isShown: true, ...(holds === undefined ? {} : { holds }) })
}

/** Keywords that are rejected with any value. @param names separated by spaces */
export function rejected<Names extends string>(names: Names, reason: string) {
  return each(names, { rule: reject(reason) })
}

/** Keywords that are ignored with any value. @param names separated by spaces */
export function ignored<Names extends string>(names: Names, reason: string) {
  return each(names, { rule: ignore(reason) })
}

/** The problem of an object of documentation without a text that it must have. */
export function lacking(object: unknown, ...names: string[]): string | undefined {
  const missing = names.find((name) => typeof membersOf(object)[name] !== 'string')
  if (missing === undefined) return undefined
  const member = membersOf(object)[missing]
  return member === undefined ? `${missing} is missing; add it` : `${missing} is not text; ${quoted(member)}`
}

/**
 * The remedy of a value that is not text: YAML reads some without quotes as numbers or booleans.
 *
 * @param source the value as it is written
 */
export function quoted(value: unknown, source?: string): string {
  if (!/^(?:number|bigint|boolean)$/.test(typeof value)) return 'correct it'
  return source === undefined ? 'put it in quotes' : `write '${source}'`
}

/** The problem of a value with a `$ref`, which tools follow. */
export function referenceIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if ('$ref' in value && typeof value.$ref === 'string') {
    return 'tools follow a $ref in a value; remove the member'
  }
  return Object.values(value)
    .map(referenceIn)
    .find((problem) => problem !== undefined)
}
