import { createRequire } from 'node:module'
import type { FastifyServerOptions } from 'fastify'
import { isObject } from '../json/json.ts'
import { isData } from '../schema/read/schema-parts.ts'

type CompilersFactory = NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']

/** Makes the function that compiles a schema of a route. */
type Build = (schemas: unknown, options: unknown) => (route: { schema: unknown; httpPart?: string }) => unknown

const require = createRequire(import.meta.url)

/** Loads a package that Fastify depends on, whose export makes what Fastify would use. */
function fastifyBuild(name: string): Build {
  // The form of the export is part of what Fastify tests its versions by.
  const make = createRequire(require.resolve('fastify'))(name) as () => Build
  return make()
}

let validators: Build | undefined
let serializers: Build | undefined

const compilers: { buildValidator: Build; buildSerializer: Build } = {
  buildValidator: (schemas, options) => {
    validators ??= fastifyBuild('@fastify/ajv-compiler')
    const compile = validators(schemas, options)
    return (route) => compile(route.httpPart === 'headers' ? { ...route, schema: inLowerCase(route.schema) } : route)
  },
  buildSerializer: (schemas, options) => {
    serializers ??= fastifyBuild('@fastify/fast-json-stringify-compiler')
    return serializers(schemas, options)
  },
}

/**
 * The compilers of Fastify for routes beside the contract. They are loaded with the first route that has a schema: they
 * take 20 ms of a start.
 */
const untyped: unknown = compilers
// The types of Fastify are those of two classes of Ajv, which the packages have as well.
export const lazyCompilers = untyped as NonNullable<CompilersFactory>

/** Keywords with a property for each header, and those with a list of headers. */
const byHeader = ['properties', 'dependentSchemas', 'dependentRequired', 'dependencies']

/** Writes the names of headers as Node does. Fastify does so for its own compiler, and takes this one to be another. */
function inLowerCase(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(inLowerCase)
  if (typeof schema !== 'object' || schema === null) return schema
  const members = Object.entries(schema).map(([keyword, value]: [string, unknown]): [string, unknown] => {
    if (keyword === 'required') return [keyword, namesInLowerCase(value)]
    if (isData(keyword)) return [keyword, value]
    if (!byHeader.includes(keyword)) return [keyword, inLowerCase(value)]
    const headers = Object.entries(isObject(value) ? value : {})
    return [
      keyword,
      Object.fromEntries(headers.map(([name, of]) => [name.toLowerCase(), inLowerCase(namesInLowerCase(of))])),
    ]
  })
  return Object.fromEntries(members)
}

function namesInLowerCase(names: unknown): unknown {
  return Array.isArray(names)
    ? names.map((name: unknown) => (typeof name === 'string' ? name.toLowerCase() : name))
    : names
}
