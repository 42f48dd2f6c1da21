import { type CodeKeywordDefinition, type KeywordCxt, Name, _ } from 'ajv'
import type { Ajv2020 } from 'ajv/dist/2020.js'

/** A value that has been replaced by what it means. */
interface Replaced {
  container: Record<string | number, unknown>
  key: string | number
  value: unknown
}

/** What has been replaced since the first alternative, by the value that is validated as a whole. */
const replaced = new WeakMap<object, Replaced[]>()

/** Replaces a value of what is validated, so that it can be undone. */
export function replace(root: object, container: Replaced['container'], key: Replaced['key'], value: unknown): void {
  replaced.get(root)?.push({ container, key, value: container[key] })
  container[key] = value
}

function markOf(root: object): number {
  const list = replaced.get(root)
  if (list === undefined) replaced.set(root, [])
  return list?.length ?? 0
}

function undo(root: object, mark: number): void {
  // The generated code has called markOf before.
  for (const { container, key, value } of replaced.get(root)!.splice(mark).reverse()) container[key] = value
}

/** Schemas that read values where they are valid, and schemas that only ask. */
const alternatives: readonly unknown[] = ['anyOf', 'oneOf']
const conditions: readonly unknown[] = ['not', 'if', 'contains']

/**
 * Has Ajv undo what the keyword `scalar` has replaced in an alternative that turns out not to be valid, and in every
 * condition. What is left is what the schemas that hold say about the value.
 */
export function undoReading(ajv: Ajv2020): void {
  for (const name of [...alternatives, ...conditions]) {
    // Ajv has made these objects, whose code it generates with them.
    const keyword = ajv.getKeyword(name as string) as CodeKeywordDefinition
    const generate = keyword.code.bind(keyword)
    keyword.code = (context) => {
      const subschema = context.subschema.bind(context)
      context.subschema = (applied, valid) => {
        const mark = context.gen.const('mark', _`${context.gen.scopeValue('func', { ref: markOf })}(${root})`)
        const inner = subschema(applied, valid)
        if (conditions.includes(applied.keyword)) undoSince(context, mark)
        else if (alternatives.includes(applied.keyword)) {
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
