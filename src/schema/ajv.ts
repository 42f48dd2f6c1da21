import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormatsModule from 'ajv-formats'
import { type Source, scalarKeyword } from './scalar-keyword.ts'

// ajv-formats is CommonJS that Node gives whole as the default, while its types speak of the function inside.
const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default

/**
 * Makes the one kind of validator that this service uses, for JSON Schema 2020-12, the dialect of OpenAPI 3.1.
 * It refuses to compile a schema with a keyword or a format that nobody checks.
 *
 * @param source where the values come from that it judges
 */
export function createAjv(source: Source): Ajv2020 {
  // Each keyword checks the type of its own value; the meta-schema would check it again, and take the start 30 ms to compile.
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, strictTuples: false, meta: false, validateSchema: false })
  addFormats(ajv)
  // These are judged by `scalar`, for integers and numbers alone; beside any other type nobody checks them.
  for (const format of ['int32', 'int64', 'float', 'double']) Reflect.deleteProperty(ajv.formats, format)
  ajv.addKeyword(scalarKeyword(source))
  return ajv
}
