import { type Code, type CodeKeywordDefinition, Name, _, str } from 'ajv'
import type { Ajv2020 } from 'ajv/dist/2020.js'
import type { Direction } from './rewrite-schema.ts'
import { type Description, forget, note, noted } from './undo-reading.ts'
import { wrapCompile } from './wrap-ajv.ts'

/** The validation that runs now. Ajv validates in one go. */
const current = {
  /** Whether each schema notes what it has evaluated. Without others there is no need. */
  isListing: false,
  /** Whether a closed schema has left a property to others. */
  mayHaveOthers: false,
}

/**
 * The Ajv keyword that `SchemaRewriter` writes beside all that a schema says of an object. It notes which properties
 * the schema has evaluated (JSON Schema 2020-12, core, section 11). Its value says whether the schema declares any, and
 * so has no others.
 *
 * `unevaluatedProperties` would not do: it sees one schema, and several may describe the same object, as where two
 * schemas of an `allOf` each describe some of the properties of `a`.
 *
 * @see https://ajv.js.org/keywords.html
 */
const closedKeyword: CodeKeywordDefinition = {
  keyword: 'closed',
  type: 'object',
  schemaType: 'boolean',
  code({ gen, data, schema, it }) {
    const { props = {}, errorPath } = it
    // Ajv knows the names when it compiles, or lists them in a variable.
    const isKnown = typeof props === 'object' && !(props instanceof Name)
    const evaluated = isKnown ? gen.scopeValue('obj', { ref: props }) : props
    const state = gen.scopeValue('obj', { ref: current })
    const isClosed = schema === true
    const noteAll = () => {
      const ref = gen.scopeValue('func', { ref: noteDescription })
      gen.code(_`${ref}(${str`${instancePath}${errorPath}`}, ${data}, ${evaluated}, ${isClosed})`)
    }
    const lookForOthers = () => {
      gen.forIn('name', data, (name) => {
        const isOther: Code = isKnown
          ? Object.keys(props).reduce((all, known) => _`${all} && ${name} !== ${known}`, _`true`)
          : _`!${gen.scopeValue('func', { ref: has })}(${evaluated}, ${name})`
        gen.if(isOther, () => gen.assign(_`${state}.mayHaveOthers`, true))
      })
    }
    if (isClosed && props !== true) gen.if(_`${state}.isListing`, noteAll, lookForOthers)
    else gen.if(_`${state}.isListing`, noteAll)
  },
}

/** A parameter of each function that Ajv generates. */
const instancePath = new Name('instancePath')

function noteDescription(place: string, object: object, evaluated: Description['evaluated'], isClosed: boolean): void {
  note({ place, object, evaluated, isClosed })
}

/**
 * Has Ajv close the objects whose schemas declare properties, once the whole value is valid. In a request the others
 * are removed, and what is left must be valid, too. In a response they are errors of the keyword `closed`.
 */
export function closeObjects(ajv: Ajv2020, direction: Direction | undefined): void {
  ajv.addKeyword(closedKeyword)
  wrapCompile(ajv, (validate) => {
    const closed = (root: object): boolean => {
      // A validation before may have thrown.
      current.mayHaveOthers = false
      current.isListing = false
      forget()
      let isValid = validate(root)
      let others: Other[] = []
      while (isValid && current.mayHaveOthers) {
        forget()
        current.isListing = true
        isValid = validate(root)
        others = othersOf(noted())
        if (direction === 'request') for (const { object, name } of others) Reflect.deleteProperty(object, name)
        current.mayHaveOthers = direction === 'request' && others.length > 0
      }
      forget()
      if (isValid && others.length === 0) return true
      // One is enough: every item of a list may have the same.
      whole.errors = isValid ? others.slice(0, 1).map(errorOf) : (validate.errors ?? null)
      return false
    }
    const whole = Object.assign(closed, { ...validate })
    return whole
  })
}

/** A property that no schema of its object has evaluated. */
interface Other {
  place: string
  object: object
  name: string
}

function othersOf(descriptions: Description[]): Other[] {
  const others: Other[] = []
  // A reply may have one object in several places.
  for (const [place, described] of Map.groupBy(descriptions, (each) => each.place)) {
    if (!described.some(({ isClosed }) => isClosed)) continue
    // A group has members.
    const { object } = described[0]!
    for (const name of Object.keys(object)) {
      if (!described.some(({ evaluated }) => has(evaluated, name))) others.push({ place, object, name })
    }
  }
  return others
}

function has(evaluated: Description['evaluated'], name: string): boolean {
  return evaluated === true || (evaluated !== undefined && Object.hasOwn(evaluated, name))
}

function errorOf({ place, name }: Other) {
  return { keyword: 'closed', instancePath: place, schemaPath: '', params: { name } }
}
