import { _ } from 'ajv'
import { validateAdditionalItems } from 'ajv/dist/vocabularies/applicator/additionalItems.js'
import { validateArray } from 'ajv/dist/vocabularies/code.js'
import type { GeneratedKeyword } from './guarded.ts'
import { noteOther } from './plain-objects.ts'
import type { RewrittenSchema } from './rewritten-schema.ts'

/**
 * The keywords `prefixItems` and `items` of JSON Schema 2020-12. Ajv's own `prefixItems` skips the keywords after it where a
 * list has fewer items and the first error ends the validation.
 *
 * @see https://json-schema.org/draft/2020-12/json-schema-core#section-10.3.1
 */
export const itemKeywords = {
  prefixItems: {
    type: 'array',
    schemaType: 'array',
    before: 'uniqueItems',
    code(context) {
      const { gen, data } = context
      const { prefixItems = [] }: RewrittenSchema = context.parentSchema
      for (const index of prefixItems.keys()) {
        const valid = gen.name('valid')
        gen.var(valid, true)
        gen.if(_`${data}.length > ${index}`, () => {
          context.subschema({ keyword: 'prefixItems', schemaProp: index, dataProp: index }, valid)
        })
        context.ok(valid)
      }
    },
  },
  items: {
    type: 'array',
    schemaType: ['object', 'boolean'],
    before: 'uniqueItems',
    error: { message: 'is too long', params: ({ params: { len } }) => _`{limit: ${len}}` },
    code(context) {
      const { prefixItems }: RewrittenSchema = context.parentSchema
      noteOther(context)
      if (context.schema === true) return
      if (prefixItems === undefined) context.ok(validateArray(context))
      else validateAdditionalItems(context, [...prefixItems])
    },
  },
} satisfies Record<string, GeneratedKeyword>
