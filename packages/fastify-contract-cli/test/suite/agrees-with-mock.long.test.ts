import { documentOf, sealContract } from 'fastify-contract/document'
import { stringifyJson } from 'fastify-contract/json'
import { expect, onTestFinished, test } from 'vitest'
import { readCheckedContract } from '../../src/model/read-contract.ts'
import { createMock } from '../../src/mock.ts'
import { type Result, readContract, test as testServer } from '../../src/suite.ts'
import { contractOf, failures, json, noContent } from '../contracts.ts'
import { petsDocument } from './pets-contract.ts'

const text = { type: 'string' }
const key = { name: 'key', in: 'path', required: true, schema: { type: 'integer' } }
const thing = {
  type: 'object',
  required: ['key'],
  properties: { key: { type: 'integer' }, name: text, anything: { type: 'object' } },
}
const one = { 200: { description: 'One.', content: json(thing) } }
/** A contract that says little of failures, with integers of any size. */
const things = contractOf(
  {
    '/things': {
      post: {
        operationId: 'addThing',
        parameters: [{ name: 'X-Note', in: 'header', schema: text }],
        requestBody: { content: json(thing) },
        responses: { ...one, 401: { description: 'Who?' } },
      },
    },
    '/things/{key}': {
      parameters: [key],
      get: { operationId: 'getThing', responses: { ...one, 401: { description: 'Who?' } } },
      delete: { operationId: 'removeThing', responses: { 204: noContent[204], 401: { description: 'Who?' } } },
    },
    '/odd': {
      servers: [{ url: 'https://other.example/v9' }],
      get: {
        operationId: 'beOdd',
        parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', minimum: 0 } }],
        responses: { ...noContent, 400: { description: 'Odd.', content: json({ enum: ['an odd failure'] }) } },
      },
    },
  },
  { servers: [{ url: '/v1' }] },
)

const inherited = ['constructor', 'toString', 'hasOwnProperty']
const ofInherited = (member: object) => Object.fromEntries(inherited.map((name) => [name, member]))
const integer = { type: 'integer' }
const members = { type: 'object', properties: ofInherited(integer), required: ['toString'] }
const failure = { description: 'Refused.' }
const replies = {
  200: { description: 'Done.', headers: ofInherited({ schema: integer }), content: json(members) },
  ...{ 400: failure, 401: failure, 404: failure, 405: failure, 413: failure, 415: failure },
}
const parameters = ['query', 'header', 'cookie'].flatMap((place, index) =>
  inherited.map((name) => ({ name, in: place, required: index > 0, schema: integer })),
)
const ofScheme = (...names: string[]) => ({
  get: { security: [Object.fromEntries(names.map((name) => [name, []]))], responses: replies },
})
/** A contract whose names every object of JavaScript seems to have. */
const namesakes = contractOf(
  {
    '/a': { get: { operationId: 'constructor', parameters, responses: replies } },
    '/b': {
      post: {
        operationId: 'toString',
        requestBody: {
          required: true,
          content: { ...json(members), 'application/x-www-form-urlencoded': { schema: members } },
        },
        responses: replies,
      },
    },
    '/c': { post: { requestBody: { content: json({ type: 'object', required: inherited }) }, responses: replies } },
    '/d': ofScheme('constructor'),
    '/e': ofScheme('toString'),
    '/f': ofScheme('valueOf', 'toString'),
    '/toString': { post: { requestBody: { content: json(members) }, responses: replies } },
    '/toString/{toString}': {
      get: { parameters: [{ name: 'toString', in: 'path', required: true, schema: integer }], responses: replies },
    },
  },
  {
    security: [],
    components: {
      securitySchemes: {
        constructor: { type: 'apiKey', in: 'header', name: 'constructor' },
        toString: { type: 'apiKey', in: 'query', name: 'toString' },
        valueOf: { type: 'apiKey', in: 'cookie', name: 'valueOf' },
      },
    },
  },
)

const wholeQuery = {
  type: 'object',
  required: ['name'],
  properties: { name: { ...text, minLength: 1 }, size: { type: 'integer' }, tags: { type: 'array', items: text } },
}
/** A contract with the methods of OpenAPI 3.2, and queries as one value, on a collection that clients add to. */
const methods = contractOf({
  '/things': {
    post: { operationId: 'addThing', requestBody: { required: true, content: json(thing) }, responses: one },
    head: { operationId: 'headThings', responses: noContent },
    query: {
      operationId: 'findThings',
      requestBody: { required: true, content: json({ type: 'object', properties: { least: { type: 'integer' } } }) },
      responses: { 200: { description: 'Found.', content: json({ type: 'array', items: thing }) }, ...failures },
    },
    options: { operationId: 'askThings', responses: noContent },
  },
  ...Object.fromEntries(
    Object.entries({
      json: json(wholeQuery),
      form: { 'application/x-www-form-urlencoded': { schema: wholeQuery } },
      text: { 'text/plain': { schema: { ...text, maxLength: 20, pattern: '^[a-z%+&=]+$' } } },
    }).map(([name, content]) => {
      const parameters = [{ name: 'filter', in: 'querystring', required: name === 'text', content }]
      return [`/${name}`, { get: { operationId: name, parameters, responses: noContent } }]
    }),
  ),
  '/things/{key}': {
    parameters: [key],
    get: { operationId: 'getThing', responses: { ...one, ...failures } },
    additionalOperations: {
      COPY: { operationId: 'copyThing', requestBody: { content: json(thing) }, responses: noContent },
      LOCK: { operationId: 'lockThing', responses: noContent },
    },
  },
})

test.each<[string, Record<string, unknown>, Record<string, string>, isStrict?: boolean]>([
  ['methods of OpenAPI 3.2', methods, { bearer: 'Bearer t' }],
  ['methods of OpenAPI 3.2, strictly', methods, { bearer: 'Bearer t' }, true],
  ['names that objects inherit', namesakes, { toString: 'k' }, true],
  ['pets', petsDocument, { key: 'k' }],
  ['things', things, { bearer: 'Bearer t' }],
])('the suite finds nothing in the mock of a contract of %s', async (_name, document, auth, isStrict = false) => {
  const read = await readCheckedContract(Buffer.from(JSON.stringify(document)), 'openapi.json')
  const contract = sealContract({ document: stringifyJson(read.document) })
  const accepted = Object.fromEntries(Object.entries(auth).map(([name, value]) => [name, [value]]))
  const app = await createMock(contract, { docs: false, auth: accepted })
  onTestFinished(() => app.close())
  const results: Result[] = []
  const tested = readContract(documentOf(contract))
  for await (const result of testServer(tested, { app, auth, seed: 1, isStrict })) results.push(result)
  expect(results.filter(({ verdict }) => verdict === 'fault')).toEqual([])
  expect(results.filter(({ verdict }) => verdict === 'ok').length).toBeGreaterThan(20)
})

test('a mock accepts any credentials of a scheme that has the name of an inherited member', async () => {
  const { document } = await readCheckedContract(Buffer.from(JSON.stringify(namesakes)), 'openapi.json')
  const app = await createMock(sealContract({ document: stringifyJson(document) }), { auth: { toString: ['k'] } })
  onTestFinished(() => app.close())
  const statusOf = async (constructor?: string) =>
    (await app.inject({ url: '/d', headers: constructor === undefined ? {} : { constructor } })).statusCode
  expect([await statusOf(), await statusOf('any')]).toEqual([401, 200])
})
