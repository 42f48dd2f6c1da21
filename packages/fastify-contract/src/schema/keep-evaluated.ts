import { type KeywordCxt, Name, _ } from 'ajv'
import type { Ajv2020 } from 'ajv/dist/2020.js'
import { evaluatedPropsToName } from 'ajv/dist/compile/util.js'
import type { Schema } from './schema-parts.ts'
import { wrapKeyword } from './wrap-ajv.ts'

/** Keywords whose schemas apply in some cases only. */
const conditional = ['anyOf', 'oneOf', 'if', 'dependentSchemas']

/**
 * Corrects the list of the properties that a schema has evaluated, which Ajv keeps for `unevaluatedProperties`:
 *
 * - It begins before a schema that may not apply. Ajv begins it inside of the first such schema. If that one does not
 *   hold, the list lacks what was evaluated before, and has what that one evaluated until it failed, or in the item
 *   before.
 * - A condition counts where it holds. Ajv counts each `if`.
 * - What a reference has evaluated is copied. Ajv adds to the list of the function that it has called, so that later
 *   values may have properties of earlier ones.
 * - Names that every object inherits, such as `constructor`, are evaluated where they are in the list.
 *
 * @param ajv already has its code for `$ref`
 */
export function keepEvaluated(ajv: Ajv2020): void {
  for (const name of conditional) {
    wrapKeyword(ajv, name, ({ gen, it }, generate) => {
      if (it.props !== true && !(it.props instanceof Name)) it.props = evaluatedPropsToName(gen, it.props)
      generate()
    })
  }
  wrapKeyword(ajv, 'if', (context, generate) => {
    const [subschema, merge] = [context.subschema.bind(context), context.mergeEvaluated.bind(context)]
    let isValid: Name | undefined
    context.subschema = (applied, valid) => {
      isValid = valid
      return subschema(applied, valid)
    }
    // For `then` and `else` Ajv has generated the question and gives the type.
    context.mergeEvaluated = (schemaContext, toName) => {
      if (toName !== undefined || isValid === undefined) merge(schemaContext, toName)
      else
        context.gen.if(isValid, () => {
          merge(schemaContext, Name)
        })
    }
    generate()
  })
  wrapKeyword(ajv, '$ref', (context, generate) => {
    generate()
    const { $ref: _reference, closed, ...others } = context.parentSchema as Schema
    // Nothing is added to the list of a value's whole schema that is a reference alone.
    if (closed === undefined || Object.keys(others).length > 0) copyEvaluated(context)
  })
  wrapKeyword(ajv, 'unevaluatedProperties', (context, generate) => {
    copyEvaluated(context)
    generate()
  })
}

function copyEvaluated({ gen, it }: KeywordCxt): void {
  const { props } = it
  // A variable of its own, which Ajv leaves out where nobody asks for it.
  if (props instanceof Name) it.props = gen.var('props', _`${gen.scopeValue('func', { ref: copyOf })}(${props})`)
}

function copyOf(evaluated: true | object | undefined): true | object | undefined {
  return typeof evaluated === 'object' ? Object.assign(Object.create(null) as object, evaluated) : evaluated
}
