import { type CodeKeywordDefinition, type KeywordCxt, _ } from 'ajv'
import { validateAdditionalItems } from 'ajv/dist/vocabularies/applicator/additionalItems.js'
import { validateTuple } from 'ajv/dist/vocabularies/applicator/items.js'
import { validateArray } from 'ajv/dist/vocabularies/code.js'

/**
 * The keywords `prefixItems` and `items` of JSON Schema 2020-12, as Ajv's own build of it has them.
 *
 * @see https://json-schema.org/draft/2020-12/json-schema-core#section-10.3.1
 */
export const itemKeywords: CodeKeywordDefinition[] = [
  {
    keyword: 'prefixItems',
    type: 'array',
    schemaType: 'array',
    before: 'uniqueItems',
    code(context) {
      validateTuple(context, 'items')
    },
  },
  {
    keyword: 'items',
    type: 'array',
    schemaType: ['object', 'boolean'],
    before: 'uniqueItems',
    error: { message: 'is too long', params: ({ params: { len } }) => _`{limit: ${len}}` },
    code(context: KeywordCxt) {
      // The schema of the keyword is that of the contract.
      const { prefixItems } = context.parentSchema as { prefixItems?: unknown[] }
      if (context.schema === true) return
      if (prefixItems === undefined) context.ok(validateArray(context))
      else validateAdditionalItems(context, prefixItems as never)
    },
  },
]
