import {
  type ReceivedResponse,
  type Result,
  type WireRequest,
  parseExactly,
  readContract,
  test as testServer,
} from '../src/suite.ts'
import { beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'

const node = { $ref: '#/components/schemas/Node' }
/** A contract with what the Plant Store's lacks. */
const document = parse(`
openapi: 3.1.0
info: { title: Nodes, version: '1' }
security: [{ key: [] }]
paths:
  /nodes:
    post:
      operationId: addNode
      requestBody:
        required: true
        content: { application/json: { schema: &node { $ref: '#/components/schemas/Node' } } }
      responses:
        201:
          description: Added.
          headers: { Location: { required: true, schema: { type: string } } }
          content: { application/json: { schema: *node } }
        4XX: &refused
          description: Refused.
          content: { application/json: { schema: { $ref: '#/components/schemas/Problem' } } }
    get:
      operationId: findNodes
      parameters:
        - { name: filter, in: query, content: { application/xml: {} } }
        - { name: kind, in: cookie, schema: { enum: [leaf, branch] } }
        - { name: sizes, in: query, style: pipeDelimited, schema: { type: array, items: { type: integer } } }
      responses:
        200: { description: Found., content: { application/json: { schema: { type: array, items: *node } } } }
        4XX: *refused
  /pictures:
    post:
      operationId: addPicture
      requestBody: { required: true, content: { application/xml: { schema: { type: object } } } }
      responses: { 204: { description: Added. } }
  /secrets:
    get: { operationId: getSecret, security: [{ token: [] }], responses: { 204: { description: Nothing. } } }
components:
  securitySchemes: { key: { type: apiKey, in: query, name: key }, token: { type: http, scheme: bearer } }
  schemas:
    Node:
      allOf:
        - { type: object, required: [id], properties: { id: { type: integer, format: int64, maximum: 1000 } } }
        - { properties: { id: { type: number, maximum: 99 }, code: { not: { enum: [none] }, type: string } } }
        - { properties: { children: { type: array, items: *node }, twin: { anyOf: [*node, { type: 'null' }] } } }
    Problem: { type: object, required: [title], properties: { title: { type: string } } }
`) as object

const contract = readContract(document)

function response(status: number, body: unknown, headers: object = {}): ReceivedResponse {
  const content = { 'content-type': 'application/json; charset=utf-8', server: 'by hand', ...headers }
  return { status, headers: content, text: JSON.stringify(body) }
}

/** The addition of a node by a server that keeps the contract. */
type Add = (sent: string) => ReceivedResponse
const add: Add = (sent) => ({ ...response(201, {}, { location: '/nodes/1' }), text: sent })

/** Sends requests to a server whose additions are those of `adds`. */
function exchangeWith(adds: Add, seen: WireRequest[] = []) {
  return (request: WireRequest): Promise<ReceivedResponse> => {
    seen.push(request)
    const url = new URL(request.url, 'http://localhost')
    if (url.searchParams.get('key') !== 'k') return Promise.resolve(response(401, { title: 'who?' }))
    const { cookie = 'kind=leaf' } = request.headers
    if (!['kind=leaf', 'kind=branch'].includes(cookie)) return Promise.resolve(response(400, { title: 'kind' }))
    const sizes = url.searchParams.get('sizes') ?? ''
    if (!/^(?:-?\d+(?:\|-?\d+)*)?$/.test(sizes)) return Promise.resolve(response(400, { title: 'sizes' }))
    if (request.method === 'GET') return Promise.resolve(response(200, []))
    const sent = String(request.body)
    let body: unknown
    try {
      body = parseExactly(sent)
    } catch {
      return Promise.resolve(response(422, { title: 'no JSON' }))
    }
    const problems = contract.problemsOf(body, node)
    return Promise.resolve(problems.length > 0 ? response(400, { title: problems[0] }) : adds(sent))
  }
}

async function resultsOf(exchange: ReturnType<typeof exchangeWith>, only?: string): Promise<Result[]> {
  const results: Result[] = []
  const options = { exchange, auth: { key: 'k' }, seed: 1, scale: 0.2, only }
  for await (const result of testServer(contract, options)) results.push(result)
  return results
}

/** What comes of a server that keeps its contract. */
const seen: WireRequest[] = []
let kept: Result[]
beforeAll(async () => {
  kept = await resultsOf(exchangeWith(add, seen))
})

const faultsIn = (results: Result[]) => results.filter(({ verdict }) => verdict === 'fault')

test('the suite finds no fault in a server that keeps its contract', () => {
  expect(faultsIn(kept)).toEqual([])
  expect(kept.filter(({ verdict }) => verdict === 'ok').length).toBeGreaterThan(10)
  const bodies = seen.map(({ body }) => String(body))
  expect(
    bodies.some((body) => /"children":\[\{[^]*"id"/.test(body)),
    'a node has children',
  ).toBe(true)
  expect(
    seen.some(({ url }) => /sizes=-?\d+%7C-?\d+/.test(url)),
    'a list is written as its style says',
  ).toBe(true)
  expect(
    seen.some(({ headers }) => headers['cookie'] === 'kind=branch'),
    'a cookie is sent',
  ).toBe(true)
})

test('the suite names what it skips, and why', () => {
  const left = kept.flatMap((result) =>
    result.verdict === 'left out' ? [[result.operation, result.title, result.reason].join(' | ')] : [],
  )
  expect(left).toContain('getSecret | getSecret is tried | it needs token (--auth token=…)')
  expect(left).toContain(
    'addPicture | addPicture accepts valid requests | cannot generate a body of application/xml; give it an example',
  )
  expect(left).toContain(' | GET /nodes: query/filter: cannot generate a parameter of application/xml | ')
})

test('a refusal with an unexpected status is a note', () => {
  const cutOff = kept.find(({ title }) => title === 'addNode refuses a document that is cut off')
  expect(cutOff).toEqual({
    operation: 'addNode',
    route: 'POST /nodes',
    title: 'addNode refuses a document that is cut off',
    notes: [{ text: '422, expected 400' }],
    verdict: 'ok',
    requests: 1,
  })
})

const broken: [name: string, adds: Add, problem: RegExp][] = [
  ['a property is missing', () => add('{}'), /body\/id is required|id is required/],
  ['an id is rounded', (sent) => add(JSON.stringify(JSON.parse(sent))), /must be an integer/],
  ['a type is changed', () => add('{"id":"1"}'), /must be/],
  ['a status is undeclared', (sent) => ({ ...add(sent), status: 202 }), /does not declare this status/],
  ['a header is missing', () => response(201, { id: 1 }), /the header location is missing/],
  ['a body is not JSON', () => add('{'), /is not JSON/],
  ['a media type is undeclared', () => response(201, 1, { 'content-type': 'text/html', location: '/' }), /text\/html/],
  ['a handler fails', () => response(500, {}), /does not declare this status/],
]

test.each(broken)('the suite finds that %s', async (_name, adds, problem) => {
  const results = await resultsOf(exchangeWith(adds), 'addNode')
  expect(faultsIn(results)).toContainEqual(
    expect.objectContaining({
      operation: 'addNode',
      faults: [expect.objectContaining({ problem: expect.stringMatching(problem) as string })],
    }),
  )
})

test('the suite finds each invalid request that is accepted, and shrinks it', async () => {
  const accepting = exchangeWith(add)
  const results = await resultsOf(async (request) => {
    const right = await accepting(request)
    return right.status < 400 || request.method === 'GET' ? right : response(201, { id: 1 }, { location: '/' })
  }, 'addNode')
  const refusals = results.filter(({ title, verdict }) => title.startsWith('addNode refuses') && verdict !== 'left out')
  expect(refusals.length).toBeGreaterThan(5)
  expect(refusals.filter(({ verdict }) => verdict !== 'fault')).toEqual([])
  expect(refusals).toContainEqual(
    expect.objectContaining({
      title: 'addNode refuses body/id that breaks: required',
      faults: [
        expect.objectContaining({
          problem: expect.stringContaining('201, expected 400') as string,
          counterexample: expect.objectContaining({
            shown: expect.stringContaining('"body":"{}"') as string,
          }) as object,
        }),
      ],
    }),
  )
})

test('the suite follows a reference in the response `default`', () => {
  const responses = { default: { $ref: '#/components/responses/Failure' } }
  const failure = { description: 'A failure.', default: { $ref: 'data' } }
  const paths = { '/': { get: { operationId: 'get', responses } } }
  const [operation] = readContract({ paths, components: { responses: { Failure: failure } } }).operations
  expect(operation?.object.responses['default']).toEqual(failure)
})

test('a text that is declared as an object is not validated, as the server does not', async () => {
  const responses = { 200: { description: 'A text.', content: { 'text/plain': { schema: { type: 'object' } } } } }
  const texts = readContract({ paths: { '/': { get: { operationId: 'get', responses } } } })
  const exchange = () => Promise.resolve({ status: 200, headers: { 'content-type': 'text/plain' }, text: '{}' })
  const results: Result[] = []
  for await (const result of testServer(texts, { exchange, seed: 1 })) results.push(result)
  expect(faultsIn(results)).toEqual([])
})
