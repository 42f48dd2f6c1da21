import { type CodeKeywordDefinition, Name } from 'ajv'
import type { Ajv2020 } from 'ajv/dist/2020.js'
import { evaluatedPropsToName } from 'ajv/dist/compile/util.js'

/** Keywords whose schemas apply in some cases only. */
const conditional = ['anyOf', 'oneOf', 'if', 'dependentSchemas']

/**
 * Has Ajv list the properties that a schema has evaluated before it comes to a schema that may not apply. Ajv begins
 * the list inside of the first such schema, so that `unevaluatedProperties` refuses them where that one does not hold.
 */
export function keepEvaluated(ajv: Ajv2020): void {
  for (const name of conditional) {
    // Ajv has made these objects, whose code it generates with them.
    const keyword = ajv.getKeyword(name) as CodeKeywordDefinition
    const generate = keyword.code.bind(keyword)
    keyword.code = (context, ruleType) => {
      const { gen, it } = context
      const { props } = it
      if (props !== undefined && props !== true && !(props instanceof Name)) it.props = evaluatedPropsToName(gen, props)
      generate(context, ruleType)
    }
  }
}
