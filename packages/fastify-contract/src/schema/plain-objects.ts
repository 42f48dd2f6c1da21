import { type Ajv, type CodeKeywordDefinition, type KeywordCxt, _ } from 'ajv'
import { mapMembers } from '../json/map-members.ts'

/**
 * Makes Ajv's `properties` and `required` read members without asking of each whether the object has it itself, unless
 * every object inherits one of that name, such as `toString`. An object of a class is noted; see `validate`.
 */
export function readPlainObjects(ajv: Ajv): void {
  for (const name of ['properties', 'required']) {
    // Ajv's own definitions of these generate code.
    const keyword = ajv.getKeyword(name) as CodeKeywordDefinition
    const code = keyword.code.bind(keyword)
    keyword.code = (context: KeywordCxt, rule) => {
      const { gen, data } = context
      const schema = context.schema as string[] | Record<string, unknown>
      const names = Array.isArray(schema) ? schema : Object.keys(schema)
      if (names.length > 0) {
        gen.code(_`if (!${gen.scopeValue('func', { ref: isPlain })}(${data})) this.isPlain = false;`)
      }
      const { ownProperties = true, loopRequired } = ajv.opts
      ajv.opts.ownProperties = names.some((each) => each in Object.prototype)
      // Without the loop, Ajv reads a missing property with the name '' as none.
      if (names.includes('')) ajv.opts.loopRequired = 0
      code(context, rule)
      Object.assign(ajv.opts, { ownProperties, loopRequired })
    }
  }
}

function isPlain(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object)
  return prototype === Object.prototype || prototype === null
}

/** Copies what JSON has of a value: the members that an object has itself. */
export function plainCopy(value: unknown): unknown {
  return mapMembers(value, plainCopy)
}
