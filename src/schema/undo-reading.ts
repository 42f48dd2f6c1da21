import { type CodeKeywordDefinition, type KeywordCxt, Name, _ } from 'ajv'
import type { Ajv2020 } from 'ajv/dist/2020.js'

type Container = Record<string | number, unknown>
type Key = string | number

/** A value that has been replaced by what it means. */
interface Replaced {
  container: Container
  key: Key
  value: unknown
}

/** What has been replaced since the first alternative. */
interface Readings {
  inOrder: Replaced[]
  /** The first of each place, which holds the value as it was written. */
  first: Map<Container, Map<Key, Replaced>>
}

/** By the value that is validated as a whole. */
const readings = new WeakMap<object, Readings>()

/** Replaces a value of what is validated, so that it can be undone. */
export function replace(root: object, container: Container, key: Key, value: unknown): void {
  const known = readings.get(root)
  if (known !== undefined) {
    const replaced = { container, key, value: container[key] }
    known.inOrder.push(replaced)
    const ofContainer = known.first.get(container) ?? new Map<Key, Replaced>()
    known.first.set(container, ofContainer)
    if (!ofContainer.has(key)) ofContainer.set(key, replaced)
  }
  container[key] = value
}

/** What an earlier alternative has replaced, as it was written; undefined where none has. */
export function replacedAt(root: object, container: Container, key: Key): { value: unknown } | undefined {
  return readings.get(root)?.first.get(container)?.get(key)
}

function markOf(root: object): number {
  const known = readings.get(root)
  if (known === undefined) readings.set(root, { inOrder: [], first: new Map() })
  return known?.inOrder.length ?? 0
}

function undo(root: object, mark: number): void {
  // The generated code has called markOf before.
  const { inOrder, first } = readings.get(root)!
  for (const replaced of inOrder.splice(mark).reverse()) {
    const { container, key, value } = replaced
    container[key] = value
    const ofContainer = first.get(container)
    if (ofContainer?.get(key) === replaced) ofContainer.delete(key)
  }
}

/** Schemas that read values where they are valid, and schemas that only ask. */
const alternatives = ['anyOf', 'oneOf']
const conditions = ['not', 'if', 'contains']

/**
 * Has Ajv undo what the keyword `scalar` has replaced in an alternative that turns out not to be valid, and in every
 * condition. What is left is what the schemas that hold say about the value.
 */
export function undoReading(ajv: Ajv2020): void {
  for (const name of [...alternatives, ...conditions]) {
    // Ajv has made these objects, whose code it generates with them.
    const keyword = ajv.getKeyword(name) as CodeKeywordDefinition
    const generate = keyword.code.bind(keyword)
    keyword.code = (context) => {
      const subschema = context.subschema.bind(context)
      context.subschema = (applied, valid) => {
        const { keyword: applying = '' } = applied
        const mark = context.gen.const('mark', _`${context.gen.scopeValue('func', { ref: markOf })}(${root})`)
        const inner = subschema(applied, valid)
        if (conditions.includes(applying)) undoSince(context, mark)
        else if (alternatives.includes(applying)) {
          context.gen.if(_`!${valid}`, () => {
            undoSince(context, mark)
          })
        }
        return inner
      }
      generate(context)
    }
  }
}

/** The parameter of each function that Ajv generates. */
const root = new Name('rootData')

function undoSince({ gen, data, it }: KeywordCxt, mark: Name): void {
  gen.code(_`${gen.scopeValue('func', { ref: undo })}(${root}, ${mark})`)
  // The generated code keeps the value in a variable of its own.
  gen.if(it.parentData, () => gen.assign(data, _`${it.parentData}[${it.parentDataProperty}]`))
}
