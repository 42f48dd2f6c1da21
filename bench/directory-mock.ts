import { pathToFileURL } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { FastifyInstance } from 'fastify'
import type { Contract } from 'fastify-contract'
import { type ContractOperation, basePathsOf, documentOf, isJson, operationsOf } from 'fastify-contract/document'
import { Sampler, createMock } from 'fastify-contract-cli/mock'
import { requestOf } from './directory-requests.ts'

// Sends one valid request to each operation of the mock of a generated contract, and prints what becomes of each as a line
// of JSON. Bodies are validated by plain Ajv against the contract as its author wrote it.

type Node = Record<string, unknown>
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value)
const nodeOf = (value: unknown): Node => (isNode(value) ? value : {})

const [file = ''] = process.argv.slice(2)
// `generate` has written it.
const { contract } = (await import(pathToFileURL(file).href)) as { contract: Contract }
const written = JSON.parse(contract.json ?? contract.document) as Node
const is30 = String(written['openapi']).startsWith('3.0')
const document = documentOf(contract)
const [base = ''] = basePathsOf(document)
const requests = new Sampler(document, 'request')
const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false, multipleOfPrecision: 9 })
ajv.addSchema({ ...nodeOf(forAjv(written)), $id: 'contract:/' })
let broken: string | undefined
const app = await createMock(contract, { docs: false, onContractBroken: (id) => (broken = id) })

for (const operation of operationsOf(document)) {
  const route = `${operation.method.toUpperCase()} ${operation.path}`
  broken = undefined
  console.log(JSON.stringify({ route, ...(await judge(app, operation)) }))
}
await app.close()

async function judge(server: FastifyInstance, operation: ContractOperation): Promise<{ verdict: string; why: string }> {
  const request = requestOf(operation, document, requests)
  if (typeof request === 'string') return { verdict: 'unsent', why: request }
  const response = await server.inject({ ...request, url: base + request.url })
  const why = `${String(response.statusCode)} ${response.body.slice(0, 300)}`
  if (broken !== undefined) return { verdict: 'broken', why }
  if (response.statusCode === 501) return { verdict: 'unknown', why }
  const found = responseIn(operation, response.statusCode)
  if (found === undefined) return { verdict: response.statusCode === 400 ? 'refused' : 'undeclared', why }
  const content = nodeOf(found.response['content'])
  const type = response.headers['content-type'] ?? ''
  if (response.statusCode === 400 && /problem\+json/.test(type)) return { verdict: 'refused', why }
  const key = Object.keys(content).find((each) => type.split(';')[0] === each.split(';')[0]?.trim().toLowerCase())
  if (!isJson(type) || key === undefined || nodeOf(content[key])['schema'] === undefined)
    return { verdict: 'agreed', why }
  const pointer = `${found.pointer}/content/${escaped(key)}/schema`
  try {
    const isValid = ajv.validate({ $ref: `contract:/#${pointer}` }, JSON.parse(response.body))
    return isValid ? { verdict: 'agreed', why } : { verdict: 'invalid', why: `${ajv.errorsText()} ${why}` }
  } catch (error) {
    return { verdict: 'unjudged', why: String(error).slice(0, 200) }
  }
}

/** The response of a status in the contract of the author, and its place. */
function responseIn(
  { method, path }: ContractOperation,
  status: number,
): { response: Node; pointer: string } | undefined {
  const operation = nodeOf(nodeOf(nodeOf(written['paths'])[path])[method])
  const responses = nodeOf(operation['responses'])
  const keys = [String(status), `${String(status)[0] ?? ''}xx`, 'default']
  const key = keys.flatMap((each) => Object.keys(responses).find((name) => name.toLowerCase() === each) ?? [])[0]
  if (key === undefined) return Object.keys(responses).length === 0 ? { response: {}, pointer: '' } : undefined
  const response = nodeOf(responses[key])
  const pointer = `/paths/${escaped(path)}/${method}/responses/${escaped(key)}`
  const { $ref: reference } = response
  if (typeof reference !== 'string') return { response, pointer }
  const names = reference
    .split('/')
    .slice(1)
    .map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'))
  const target = names.reduce<unknown>((node, name) => nodeOf(node)[name], written)
  return { response: nodeOf(target), pointer: `/${names.map(escaped).join('/')}` }
}

function escaped(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))
}

/** Writes the schemas of OpenAPI 3.0 as Ajv reads them, and leaves `writeOnly` properties out of `required`. */
function forAjv(node: unknown, isMap = false): unknown {
  if (Array.isArray(node)) return node.map((each) => forAjv(each))
  if (!isNode(node)) return node
  if (isMap) return Object.fromEntries(Object.entries(node).map(([name, each]) => [name, forAjv(each)]))
  if (is30 && typeof node['$ref'] === 'string') {
    const target = { $ref: node['$ref'] }
    return node['nullable'] === true ? { anyOf: [target, { type: 'null' }] } : target
  }
  const { id: _id, nullable, required, exclusiveMinimum, exclusiveMaximum, pattern, ...others } = node
  const copy: Node = {}
  for (const [name, member] of Object.entries(others)) {
    const isValue = [
      'default',
      'example',
      'examples',
      'enum',
      'const',
      'x-',
      'discriminator',
      '$id',
      '$schema',
    ].includes(name)
    if (name.startsWith('x-')) continue
    copy[name] = isValue
      ? member
      : forAjv(member, ['properties', 'schemas', 'paths', 'responses', 'content'].includes(name))
  }
  for (const [name, bound, of] of [
    ['exclusiveMinimum', exclusiveMinimum, 'minimum'],
    ['exclusiveMaximum', exclusiveMaximum, 'maximum'],
  ] as const) {
    if (typeof bound === 'number') copy[name] = bound
    if (bound !== true) continue
    copy[name] = copy[of]
    Reflect.deleteProperty(copy, of)
  }
  if (Array.isArray(required)) {
    const properties = nodeOf(node['properties'])
    copy['required'] = required.filter((name) => nodeOf(properties[String(name)])['writeOnly'] !== true)
  }
  if (typeof pattern === 'string' && isPattern(pattern)) copy['pattern'] = pattern
  if (nullable !== true || !is30) return copy
  const { enum: values } = copy
  if (Array.isArray(values) && !values.includes(null)) copy['enum'] = [...(values as unknown[]), null]
  return copy['type'] === undefined
    ? { anyOf: [copy, { type: 'null' }] }
    : { ...copy, type: [copy['type'], 'null'].flat() }
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp
  } catch {
    return false
  }
}
