import { isSchema } from 'fastify-contract/schema'
import type { Form, Keyword, Kind } from './keyword.ts'
import { heldBy, keywordOf } from './table.ts'

/** Whether a value can be an object of a kind. A schema may be `true` or `false`. */
function isHeld(kind: Kind, value: unknown): boolean {
  return isSchema(value) || (kind === 'schema' && typeof value === 'boolean')
}

const isOfForm: Record<Form, (value: unknown) => boolean> = {
  text: (value) => typeof value === 'string',
  'true or false': (value) => typeof value === 'boolean',
  'a number': (value) => typeof value === 'number' || typeof value === 'bigint',
  'a count': (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  'a list': Array.isArray,
  'a list of names': (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
}

/** Why the value of a keyword is not of its form; undefined if it is. What only documents may be anything. */
export function shapeProblem({ is, holds, isShown }: Keyword, value: unknown): string | undefined {
  const form = is ?? (Array.isArray(holds) ? 'a list' : undefined)
  if (isShown === true || (form === undefined && holds === undefined)) return undefined
  if (form !== undefined) return isOfForm[form](value) ? undefined : `is not ${form}; correct it`
  const isObject = typeof holds === 'string' ? isHeld(holds, value) : isSchema(value)
  return isObject ? undefined : 'is not an object; correct it'
}

/** The members of the list or map of a keyword that are not objects of its kind. */
export function misplaced(object: Record<string, unknown>, kind: Kind, key: string) {
  const held = heldBy(object, kind, key)
  // Of a value that is no list or map, the keyword has another form.
  if (held === undefined || held.holder === object || keywordOf(kind, key)?.isShown === true) return []
  const { holder, names, kind: of } = held
  return names.flatMap((name) => (isHeld(of, holder[name]) ? [] : [{ holder, name, of }]))
}

/** A kind of object with its article. */
export function articleAndName(kind: Kind): string {
  const name = kind.endsWith('Content') ? 'media type' : kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`
}
