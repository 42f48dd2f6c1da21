import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormatsModule from 'ajv-formats'
import { type Source, scalarKeyword } from './scalar-keyword.ts'

// ajv-formats is CommonJS that Node gives whole as the default, while its types speak of the function inside.
const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default

/**
 * Makes the one kind of validator that this service uses, for JSON Schema 2020-12, the dialect of OpenAPI 3.1.
 * It refuses to compile a schema with a keyword or a format that nobody checks.
 *
 * @param source where the values come from
 */
export function createAjv(source: Source): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    strictRequired: false,
    strictTuples: false,
    // The meta-schema takes 30 ms to compile, and each keyword checks its own value.
    meta: false,
    validateSchema: false,
  })
  addFormats(ajv)
  // `scalar` checks these formats, for integers and numbers only. Beside another type nobody would check them.
  for (const format of ['int32', 'int64', 'float', 'double']) Reflect.deleteProperty(ajv.formats, format)
  ajv.addKeyword(scalarKeyword(source))
  return ajv
}
