import { pathToFileURL } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Contract } from 'fastify-contract'
import { type ContractOperation, documentOf, isJson } from 'fastify-contract/document'
import { escapeName, lookUp } from 'fastify-contract/json'
import { securitySchemesOf } from 'fastify-contract/security'
import { createMock } from 'fastify-contract-cli/mock'
import {
  type ReceivedResponse,
  NoGenerator,
  type WireRequest,
  createContractSuite,
  credentialsOf,
  readContract,
  test,
  validRequest,
} from 'fastify-contract-cli/suite'

// Sends one valid request to each operation of the mock of a generated contract, and prints what becomes of each as a line
// of JSON. Bodies are validated by plain Ajv against the contract as its author wrote it. With a number of seconds, the
// contract suite tests the mock, too, and each fault that it finds is a line.

type Node = Record<string, unknown>
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value)
const nodeOf = (value: unknown): Node => (isNode(value) ? value : {})

/** Members that hold values, and members that hold schemas or parts by their names. */
const values = ['default', 'example', 'examples', 'enum', 'const', 'discriminator', '$id', '$schema']
const maps = ['properties', 'schemas', 'paths', 'responses', 'content']

const [file = '', seconds = '0'] = process.argv.slice(2)
// `generate` has written it.
const { contract } = (await import(pathToFileURL(file).href)) as { contract: Contract }
const written = JSON.parse(contract.document) as Node
const is30 = String(written['openapi']).startsWith('3.0')
const tested = readContract(documentOf(contract))
const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false, multipleOfPrecision: 9 })
ajv.addSchema({ ...nodeOf(forAjv(written)), $id: 'contract:/' })
const auth = Object.fromEntries(
  [...securitySchemesOf(tested.document)].map(([name, { kind }]) => {
    return [name, credentialsOf(tested, name, kind === 'basic' ? 'user:password' : 'key')] as const
  }),
)
let broken: string | undefined
const accepted = Object.fromEntries(Object.entries(auth).map(([name, value]) => [name, [value]]))
const app = await createMock(contract, { docs: false, auth: accepted, onContractBroken: (id) => (broken = id) })

/** The base path of the operation that is asked. */
let base = ''
/** The last response alone. */
const received: ReceivedResponse[] = []
const exchange = async ({ method, url, headers, body }: WireRequest): Promise<ReceivedResponse> => {
  // `inject` takes each method.
  const sent = { method: method as 'GET', url: base + url, headers, ...(body === undefined ? {} : { payload: body }) }
  const { statusCode, headers: all, body: text } = await app.inject(sent)
  const response = { status: statusCode, headers: all, text }
  received.splice(0, 1, response)
  return response
}

const send = createContractSuite(tested, { exchange }).senderFor(auth)
for (const operation of tested.operations) {
  const route = `${operation.method.toUpperCase()} ${operation.path}`
  broken = undefined
  base = operation.basePaths[0] ?? ''
  console.log(JSON.stringify({ route, ...(await judge(operation)) }))
}
if (seconds !== '0') {
  for await (const result of test(tested, { app, auth, seed: 1, seconds: Number(seconds) })) {
    const { title, verdict, route = '' } = result
    const faults = verdict === 'fault' ? result.faults.map(({ kind, problem }) => `${kind}: ${problem}`) : []
    const why = verdict === 'not judged' ? result.reason : faults.join('; ')
    if (verdict !== 'left out')
      console.log(JSON.stringify({ route: `${route}: ${title}`, verdict: why === '' ? 'kept' : 'fault', why }))
  }
}
await app.close()

async function judge(operation: ContractOperation): Promise<{ verdict: string; why: string }> {
  received.length = 0
  try {
    await send(validRequest(operation, tested))
  } catch (error) {
    if (error instanceof NoGenerator) return { verdict: 'unsent', why: error.message }
    // What the suite says of the response is said below, by another reader.
    if (received.length === 0) throw error
  }
  // There is a response where nothing was thrown.
  const { status, headers, text } = received[0]!
  const why = `${String(status)} ${text.slice(0, 300)}`
  if (broken !== undefined) return { verdict: 'broken', why }
  if (status === 501) return { verdict: 'unknown', why }
  const found = responseIn(operation, status)
  if (found === undefined) return { verdict: status === 400 ? 'refused' : 'undeclared', why }
  const content = nodeOf(found.response['content'])
  const type = String(headers['content-type'] ?? '')
  if (status === 400 && /problem\+json/.test(type)) return { verdict: 'refused', why }
  const key = Object.keys(content).find((each) => type.split(';')[0] === each.split(';')[0]?.trim().toLowerCase())
  if (!isJson(type) || key === undefined || nodeOf(content[key])['schema'] === undefined)
    return { verdict: 'agreed', why }
  const pointer = `${found.pointer}/content/${escaped(key)}/schema`
  try {
    const isValid = ajv.validate({ $ref: `contract:/#${pointer}` }, JSON.parse(text))
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
  return { response: nodeOf(lookUp(written, reference)), pointer: reference.slice(1) }
}

function escaped(name: string): string {
  return encodeURIComponent(escapeName(name))
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
    if (name.startsWith('x-')) continue
    copy[name] = values.includes(name) ? member : forAjv(member, maps.includes(name))
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
  const { enum: allowed } = copy
  if (Array.isArray(allowed) && !allowed.includes(null)) copy['enum'] = [...(allowed as unknown[]), null]
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
