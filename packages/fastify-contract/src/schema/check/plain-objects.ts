import { type Ajv, type KeywordCxt, _ } from 'ajv'
import { changeCode } from './guarded.ts'
import type { JsonView } from './json-view.ts'
import type { RewrittenSchema } from './rewritten-schema.ts'

/**
 * Makes Ajv's `properties` and `required` read members without asking of each whether the object has it itself, unless
 * every object inherits one of that name, such as `toString`.
 */
export function readPlainObjects(ajv: Ajv): void {
  changeCode(ajv, ['properties', 'required'], (context, generate, name) => {
    // The rewriter makes it.
    const { required = [], properties = {} }: RewrittenSchema = context.parentSchema
    const isRequired = name === 'required'
    const names = isRequired ? required : Object.keys(properties)
    // A property that must not be there is not read from a class.
    const allowed = Object.keys(properties).filter((each) => properties[each] !== false)
    if (isRequired === required.length > 0) noteOther(context, [...required, ...allowed])
    const { ownProperties = true, loopRequired } = ajv.opts
    ajv.opts.ownProperties = names.some((each) => each in Object.prototype)
    // Without the loop, Ajv reads a missing property with the name '' as none.
    if (names.includes('')) ajv.opts.loopRequired = 0
    generate()
    Object.assign(ajv.opts, { ownProperties, loopRequired })
  })
}

/**
 * Makes the code that notes what JSON may show otherwise than it is; see `validate`.
 *
 * @param names the properties that a schema names; of a list none
 */
export function noteOther({ gen, data }: KeywordCxt, names?: readonly string[]): void {
  const note = gen.scopeValue('func', { ref: readNamed })
  const of = gen.scopeValue('schema', { ref: names ?? [] })
  // Written out, because V8 then reads both from the form of the object, which it needs for the members anyway.
  const hasToJson = _`${data}.toJSON !== undefined`
  const prototypeOf = _`Object.getPrototypeOf(${data})`
  const isOfClass = _`${prototypeOf} !== ${gen.scopeValue('obj', { ref: Object.prototype })} && ${prototypeOf} !== null`
  gen.code(_`if (${names === undefined ? hasToJson : _`${hasToJson} || ${isOfClass}`}) ${note}(this, ${data}, ${of});`)
}

/** The view of a reply, in the state of a validation. */
export interface Viewing {
  isReply: boolean
  /** The copy of a reply that is validated, once that is needed. */
  view: JsonView | undefined
  /** Whether JSON shows every object as it is. */
  isPlain: boolean
}

/** Reads the properties that a schema names from an object of a class. Notes that there are some, or may be. */
export function readNamed(state: Viewing, object: object, names: readonly string[]): void {
  if (state.view === undefined || state.view.read(object, names)) state.isPlain = false
}
