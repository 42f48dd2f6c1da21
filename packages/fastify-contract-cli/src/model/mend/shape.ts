import { isObject } from 'fastify-contract/json'
import { type Form, type Keyword, type Kind, quoted } from '../rules/keyword.ts'
import { type Node, sourceOf } from '../yaml/node.ts'
import { accessProblem } from '../rules/access.ts'
import { heldBy, keywordOf } from '../table/table.ts'

/** Whether a value can be an object of a kind. A schema may be `true` or `false`. */
function isHeld(kind: Kind, value: unknown): boolean {
  return isObject(value) || (kind === 'schema' && typeof value === 'boolean')
}

const isOfForm: Record<Form, (value: unknown) => boolean> = {
  text: (value) => typeof value === 'string',
  'true or false': (value) => typeof value === 'boolean',
  'a number': (value) => typeof value === 'number' || typeof value === 'bigint',
  'a count': (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  'a list': Array.isArray,
  'a list of names': (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
}

/** Whether YAML reads a value as a number or a boolean, which may be meant as text. */
function isUnquoted(value: unknown): value is number | bigint | boolean {
  return /^(?:number|bigint|boolean)$/.test(typeof value)
}

/** Why the value of a keyword is not of its form; undefined if it is. What only documents may be anything. */
export function shapeProblem({ is, holds, isShown }: Keyword, object: Node, key: string): string | undefined {
  const value = object[key]
  const form = is ?? (Array.isArray(holds) ? 'a list' : undefined)
  if (isShown === true || (form === undefined && holds === undefined)) return undefined
  if (form === 'text' && typeof value !== 'string') return `is not text; ${quoted(value, sourceOf(object, key))}`
  if (form === 'a list of names' && Array.isArray(value)) {
    const index = value.findIndex(isUnquoted)
    if (index >= 0) return `has a name that is not text; ${quoted(value[index], sourceOf(value, index))}`
  }
  if (form !== undefined) return isOfForm[form](value) ? undefined : `is not ${form}; correct it`
  const isOfKind = typeof holds === 'string' ? isHeld(holds, value) : isObject(value)
  return isOfKind ? undefined : 'is not an object; correct it'
}

/** The members of the list or map of a keyword that are not objects of its kind, each with the problem and the remedy. */
export function misplaced(object: Node, kind: Kind, key: string) {
  const held = heldBy(object, kind, key)
  const isShown = keywordOf(kind, key)?.isShown === true
  // Of a value that is no list or map, the keyword has another form.
  if (held === undefined || (held.holder === object && !isShown)) return []
  const { holder, names, kind: of } = held
  const is = `is not ${articleAndName(of)}`
  return names.flatMap((name): { holder: object; name: string; problem: string }[] => {
    if (isHeld(of, holder[name])) return []
    const access = accessProblem(name, [])
    if (access !== undefined) return [{ holder, name, problem: `${name} ${is}, and ${access}` }]
    // What only documents may be anything else.
    return isShown ? [] : [{ holder, name, problem: `has a member that ${is}; write an object` }]
  })
}

/** A kind of object with its article. */
export function articleAndName(kind: Kind): string {
  const name = kind.endsWith('Content') ? 'media type' : kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`
}
