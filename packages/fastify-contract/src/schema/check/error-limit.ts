import { type Ajv, type KeywordCxt, Name, _ } from 'ajv'
import { type CalledKeyword, type GeneratedKeyword, changeCode, guarded } from './guarded.ts'

/** The maximum number of described errors. Nested alternatives can produce hundreds of thousands. */
export const maxErrors = 10

/** The variables of a validator in Ajv's code: its errors and their number. */
const [vErrors, errors] = [new Name('vErrors'), new Name('errors')]

/**
 * Makes a validator end when a message has no room for further errors: a body may have thousands, and Ajv copies all of
 * them for each further one.
 */
export function endIfFull(context: KeywordCxt): void {
  // Without `allErrors` it ends at the first.
  if (context.it.allErrors !== true) return
  context.gen.if(_`${errors} > ${maxErrors}`)
  end(context)
  context.gen.endIf()
}

function end({ gen, it }: KeywordCxt): void {
  gen.code(_`${it.validateName}.errors = ${vErrors};`).return(false)
}

/** Makes a validator end likewise after a keyword that applies whole schemas. */
export function ending(definition: CalledKeyword): GeneratedKeyword {
  const functionKeyword = guarded(definition)
  return {
    ...functionKeyword,
    trackErrors: true,
    code(context) {
      functionKeyword.code(context)
      endIfFull(context)
    },
  }
}

/** Makes a validator end likewise after a member, in Ajv's keywords that apply a schema to every member of a value. */
export function endLoops(ajv: Ajv): void {
  changeCode(ajv, ['items', 'additionalProperties', 'propertyNames'], (context, generate, name) => {
    const subschema = context.subschema.bind(context)
    context.subschema = (...given) => {
      const member = subschema(...given)
      endIfFull(context)
      return member
    }
    if (name === 'propertyNames') withoutOwnError(context)
    generate()
  })
}

/** Leaves out the error of the object that has an invalid property name. The name has its own. */
function withoutOwnError(context: KeywordCxt): void {
  context.error = () => {
    if (context.it.allErrors !== true) end(context)
  }
}
