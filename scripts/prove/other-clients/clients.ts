/** A client that a generator makes, and the few lines of a program that uses it. */
export interface OtherClient {
  /** How the row of the table begins: the generator, with what is set. */
  name: string
  /** What npm installs, with exact versions. The first one is the generator. */
  packages: string[]
  /** What is run in the folder with openapi.yaml. */
  generate: string
  /** Files that the generator reads, by name. */
  files?: Record<string, string>
  /** A module that exports `create` and `remove`, each of an id that is given as text. */
  client: string
}

/** Has JSON.stringify write every bigint as its digits, whichever client calls it (TC39, JSON.parse source text). */
const exactToJson = `
Object.assign(BigInt.prototype, { toJSON(this: bigint) { return rawJSON(String(this)) } })
`
const rawBody = `(body: unknown) =>
  JSON.stringify(body, (_key, value) => (typeof value === 'bigint' ? rawJSON(String(value)) : value))`
/** The name is beyond the first plane, which a client that misreads the pattern of `name` refuses. */
const base = `const baseUrl = process.env.BASE!
const authorization = \`Bearer \${process.env.TOKEN}\`
const name = '\\u{1f331}'
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown }
`

const openapiFetch = (id: string, options: string): string => `
import createClient from 'openapi-fetch'
import type { paths } from './api'
${base}
const client = createClient<paths>({ baseUrl, headers: { authorization }, ${options} })
export const create = (id: string) => client.POST('/plants', { body: { id: ${id}(id), name } })
export const remove = (id: string) => client.DELETE('/plants/{id}', { params: { path: { id: ${id}(id) } } })
`
const heyApi = (id: string, options: string): string => `
import { client } from './out/client.gen'
import { createPlant, deletePlant } from './out/sdk.gen'
${base}
client.setConfig({ baseUrl, auth: process.env.TOKEN, ${options} })
export const create = (id: string) => createPlant({ body: { id: ${id}(id), name } })
export const remove = (id: string) => deletePlant({ path: { id: ${id}(id) } })
`
const swaggerTypescriptApi = (id: string): string => `
import { Api } from './out/api'
${base}
const { plants } = new Api({ baseUrl, baseApiParams: { headers: { authorization } } })
export const create = (id: string) => plants.createPlant({ id: ${id}, name })
export const remove = (id: string) => plants.deletePlant(${id})
`
const oazapfts = (id: string): string => `
import * as api from './api'
${base}
Object.assign(api.defaults, { baseUrl, headers: { authorization } })
export const create = (id: string) => api.createPlant({ id: ${id}, name })
export const remove = (id: string) => api.deletePlant(${id})
`
const codegen = (id: string): string => `
import { OpenAPI, PlantsService } from './out'
${base}
Object.assign(OpenAPI, { BASE: process.env.BASE, TOKEN: process.env.TOKEN })
export const create = (id: string) => PlantsService.createPlant({ id: ${id}, name })
export const remove = (id: string) => PlantsService.deletePlant(${id})
`
const zodios = (id: string): string => `
import { createApiClient } from './api'
${base}
const client = createApiClient(baseUrl, { axiosConfig: { headers: { authorization } } })
export const create = (id: string) => client.createPlant({ id: ${id}, name })
export const remove = (id: string) => client.deletePlant(undefined, { params: { id: ${id} } })
`
const orval = (id: string): string => `
import { createPlant, deletePlant } from './api'
${base}
const options = { headers: { authorization } }
export const create = (id: string) => createPlant({ id: ${id}, name }, options)
export const remove = (id: string) => deletePlant(${id}, options)
`
const orvalConfig = (override: string): Record<string, string> => ({
  'orval.config.mjs': `
const output = { target: 'api.ts', client: 'fetch', baseUrl: process.env.BASE, override: { ${override} } }
export default { plants: { input: 'openapi.yaml', output } }
`,
})
const kubb = (id: string): string => `
import { createPlant, deletePlant } from './out/index'
${base}
const options = { baseURL: baseUrl, headers: { authorization, 'content-type': 'application/json' } }
export const create = (id: string) => createPlant({ id: ${id}, name }, options)
export const remove = (id: string) => deletePlant(${id}, options)
`
const kubbConfig = (types: string): Record<string, string> => ({
  'kubb.config.mjs': `
import { defineConfig } from '@kubb/core'
import { pluginClient } from '@kubb/plugin-client'
import { pluginOas } from '@kubb/plugin-oas'
import { pluginTs } from '@kubb/plugin-ts'
const plugins = [pluginOas(), pluginTs({ ${types} }), pluginClient({ client: 'fetch', bundle: true })]
export default defineConfig({ input: { path: 'openapi.yaml' }, output: { path: 'out' }, plugins })
`,
})
const number = 'Number(id)'
const bigint = 'BigInt(id) as unknown as number'

const transform = `
import fs from 'node:fs'
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'
const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword)
const nodes = await openapiTS(new URL('openapi.yaml', import.meta.url), {
  transform: ({ format }) => (format === 'int64' ? bigint : undefined),
})
fs.writeFileSync('api.ts', astToString(nodes))
`
const transformers = `
export default {
  input: 'openapi.yaml',
  output: 'out',
  plugins: ['@hey-api/client-fetch', '@hey-api/sdk', { name: '@hey-api/transformers', bigInt: true }],
}
`
const openapiTypescript = ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0']
const hey = ['@hey-api/openapi-ts@0.99.0']
const kubbPackages = ['cli', 'core', 'plugin-oas', 'plugin-ts', 'plugin-client'].map((name) => `@kubb/${name}@4.39.3`)
const orvalPackages = ['orval@8.20.0']
const zodClient = ['openapi-zod-client@1.18.3', '@zodios/core@10.9.6', 'axios@1.21.1', 'zod@3.25.76']

/** How a generator is installed and run, and the client that it makes for ids of a form. */
interface Generator {
  name: string
  packages: string[]
  generate: string
  clientOf: (id: string) => string
}

/** A client as it is generated, and one with ids made exact, though the generated types say that they are numbers. */
function plainAndExact({ clientOf, ...generator }: Generator): OtherClient[] {
  return [
    { ...generator, client: clientOf(number) },
    {
      ...generator,
      name: 'the same, ids as bigint and `BigInt.prototype.toJSON`',
      client: exactToJson + clientOf(bigint),
    },
  ]
}

/** A client as it is generated, one with an option that types ids as bigint, and one that also writes them exactly. */
function withOption(
  { name, packages, generate, clientOf }: Generator,
  filesOf: (option: string) => Record<string, string>,
  option: string,
  optionName: string,
): OtherClient[] {
  const common = { packages, generate }
  const files = filesOf(option)
  const client = clientOf('BigInt(id)')
  return [
    { ...common, name, files: filesOf(''), client: clientOf(number) },
    { ...common, name: `the same, \`${optionName}\``, files, client },
    { ...common, name: 'the same, and `BigInt.prototype.toJSON`', files, client: exactToJson + client },
  ]
}

export const otherClients: readonly OtherClient[] = [
  {
    name: 'openapi-typescript with openapi-fetch',
    packages: openapiTypescript,
    generate: 'openapi-typescript openapi.yaml -o api.ts',
    client: openapiFetch('Number', ''),
  },
  {
    name: 'the same, `transform` to bigint and a `bodySerializer`',
    packages: openapiTypescript,
    files: { 'generate.mjs': transform },
    generate: 'node generate.mjs',
    client: openapiFetch('BigInt', `bodySerializer: ${rawBody}`),
  },
  {
    name: '@hey-api/openapi-ts',
    packages: hey,
    generate: 'openapi-ts -i openapi.yaml -o out',
    client: heyApi('Number', ''),
  },
  {
    name: 'the same, `@hey-api/transformers` with `bigInt`',
    packages: hey,
    files: { 'openapi-ts.config.mjs': transformers },
    generate: 'openapi-ts',
    client: heyApi('BigInt', ''),
  },
  {
    name: 'the same, and a `bodySerializer`',
    packages: hey,
    files: { 'openapi-ts.config.mjs': transformers },
    generate: 'openapi-ts',
    client: heyApi('BigInt', `bodySerializer: ${rawBody}`),
  },
  ...withOption(
    { name: 'orval', packages: orvalPackages, generate: 'orval', clientOf: orval },
    orvalConfig,
    'useBigInt: true',
    'useBigInt',
  ),
  ...withOption(
    { name: 'kubb', packages: kubbPackages, generate: 'kubb generate', clientOf: kubb },
    kubbConfig,
    "integerType: 'bigint'",
    "integerType: 'bigint'",
  ),
  ...plainAndExact({
    name: 'swagger-typescript-api',
    packages: ['swagger-typescript-api@13.13.0'],
    generate: 'swagger-typescript-api generate -p openapi.yaml -o out -n api.ts',
    clientOf: swaggerTypescriptApi,
  }),
  ...plainAndExact({
    name: 'oazapfts',
    packages: ['oazapfts@7.5.0', '@oazapfts/runtime@1.2.0'],
    generate: 'oazapfts openapi.yaml api.ts',
    clientOf: oazapfts,
  }),
  ...plainAndExact({
    name: 'openapi-typescript-codegen',
    packages: ['openapi-typescript-codegen@0.31.0'],
    generate: 'openapi --input openapi.yaml --output out',
    clientOf: codegen,
  }),
  ...plainAndExact({
    name: 'openapi-zod-client (zodios)',
    packages: zodClient,
    generate: 'openapi-zod-client openapi.yaml -o api.ts',
    clientOf: zodios,
  }),
]
