import { type KeywordCxt, type Name, _ } from 'ajv'
import type { Ajv2020 } from 'ajv/dist/2020.js'
import { wrapKeyword } from './wrap-ajv.ts'

type Container = Record<string | number, unknown>
type Key = string | number

/** A value that has been replaced by what it means. */
interface Replaced {
  container: Container
  key: Key
  value: unknown
}

/** What a schema has evaluated of an object. */
export interface Description {
  /** A JSON Pointer. */
  place: string
  object: object
  /** The names of properties; `true` where it has evaluated all. */
  evaluated: true | Readonly<Record<string, true>> | undefined
  /** Whether the schema declares properties, and so has no others. */
  isClosed: boolean
}

/** What the schemas have found in the value that is validated now. Ajv validates in one go. */
let inOrder: (Replaced | Description)[] = []
/** The first of each place since the first alternative, which holds the value as it was written. */
let first: Map<Container, Map<Key, Replaced>> | undefined

/** Forgets what was found in the value before. To be called before each validation, and after it. */
export function forget(): void {
  if (inOrder.length > 0) inOrder = []
  first = undefined
}

/** Replaces a value of what is validated, so that it can be undone. */
export function replace(container: Container, key: Key, value: unknown): void {
  if (first !== undefined) {
    const replaced = { container, key, value: container[key] }
    inOrder.push(replaced)
    const ofContainer = first.get(container) ?? new Map<Key, Replaced>()
    first.set(container, ofContainer)
    if (!ofContainer.has(key)) ofContainer.set(key, replaced)
  }
  put(container, key, value)
}

/** A reply may be frozen. */
function put(container: Container, key: Key, value: unknown): void {
  if (container[key] !== value) container[key] = value
}

/** What an earlier alternative has replaced, as it was written; undefined where none has. */
export function replacedAt(container: Container, key: Key): { value: unknown } | undefined {
  return first?.get(container)?.get(key)
}

/** Notes what a schema has evaluated of an object, until an alternative that it is in turns out not to be valid. */
export function note(description: Description): void {
  inOrder.push(description)
}

/** What was noted and holds. */
export function noted(): Description[] {
  return inOrder.filter((finding) => 'place' in finding)
}

function markOf(): number {
  first ??= new Map()
  return inOrder.length
}

function undo(mark: number): void {
  for (const finding of inOrder.splice(mark).reverse()) {
    if ('place' in finding) continue
    const { container, key, value } = finding
    put(container, key, value)
    const ofContainer = first?.get(container)
    if (ofContainer?.get(key) === finding) ofContainer.delete(key)
  }
}

/** Schemas that read values where they are valid, and schemas that only ask. */
const alternatives = ['anyOf', 'oneOf']
const conditions = ['not', 'if', 'contains']

/**
 * Has Ajv undo what the keywords `scalar` and `closed` have found in an alternative that turns out not to be valid, and
 * in every condition. What is left is what the schemas that hold say about the value.
 */
export function undoReading(ajv: Ajv2020): void {
  for (const name of [...alternatives, ...conditions]) {
    wrapKeyword(ajv, name, (context, generate) => {
      const subschema = context.subschema.bind(context)
      context.subschema = (applied, valid) => {
        const { keyword: applying = '' } = applied
        const mark = context.gen.const('mark', _`${context.gen.scopeValue('func', { ref: markOf })}()`)
        const inner = subschema(applied, valid)
        if (conditions.includes(applying)) undoSince(context, mark)
        else if (alternatives.includes(applying)) {
          context.gen.if(_`!${valid}`, () => {
            undoSince(context, mark)
          })
        }
        return inner
      }
      generate()
    })
  }
}

function undoSince({ gen, data, it }: KeywordCxt, mark: Name): void {
  gen.code(_`${gen.scopeValue('func', { ref: undo })}(${mark})`)
  // The generated code keeps the value in a variable of its own.
  gen.if(it.parentData, () => gen.assign(data, _`${it.parentData}[${it.parentDataProperty}]`))
}
