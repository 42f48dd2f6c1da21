import {
  type Exchange,
  type WireRequest,
  createContractSuite,
  readContract,
  test as testServer,
} from '../../src/suite.ts'
import Fastify from 'fastify'
import type { Schema } from 'fastify-contract/schema'
import { expect, onTestFinished, test } from 'vitest'
import { contractOf, json, noContent } from '../contracts.ts'
import { answer, listen, runTestOf } from './run-test.ts'

const text: Schema = { type: 'string' }
const properties: Record<string, Schema> = {
  name: { ...text, minLength: 1 },
  kind: text,
  color: text,
  size: { type: 'integer' },
}
const thing: Schema = { type: 'object', required: ['name'], properties }
const refused = { description: 'Refused.' }

/** A contract of one operation with a body of several members. */
const thingsWith = (responses: object) =>
  contractOf(
    {
      '/things': {
        post: { operationId: 'addThing', requestBody: { required: true, content: json(thing) }, responses },
      },
    },
    { security: [] },
  )
const done = { 204: { description: 'Done.' } }

/** Reads the body of each request. @param statusOf gives the status for the value of the body, or for no JSON */
function serve(statusOf: (body: unknown) => number): Promise<string> {
  return answer((_request, text) => {
    let body: unknown
    try {
      body = JSON.parse(text.toString())
    } catch {
      body = undefined
    }
    return [statusOf(body)]
  })
}

const args = (url: string) => ['--url', url, '--seed', '7', '--seconds', '20']
const reports = (lines: string[]) => lines.filter((line) => line.includes(' → '))
const curls = (lines: string[]) => lines.filter((line) => line.startsWith('  curl '))

test('tests that fail for one reason are one report with the shortest request', async () => {
  const url = await serve((body) => (typeof body === 'object' ? 500 : 400))
  const { code, lines } = await runTestOf(thingsWith({ ...done, 400: refused }), args(url))
  expect(code).toBe(1)
  expect(reports(lines)).toEqual([
    '  accepts valid requests → POST /things: received 500: the contract does not declare this status; expected 204',
  ])
  expect(curls(lines)).toEqual([expect.stringMatching(/ -d '\{"name":"text"\}'$/)])
  // The tests of broken objects end as the valid ones do.
  expect(lines).toContainEqual(
    expect.stringMatching(/^left out: \d tests of POST \/things: valid requests get the same/),
  )
})

test('a rule is not blamed for what fails without its break', async () => {
  const contract = thingsWith({ ...done, 400: refused })
  const { problemsOf } = readContract(contract)
  const url = await serve((body) => {
    if (typeof body !== 'object' || body === null) return 400
    // It fails before it validates.
    return 'kind' in body ? 500 : problemsOf(body, thing).length === 0 ? 204 : 400
  })
  const { lines } = await runTestOf(contract, args(url))
  expect(reports(lines)).toEqual([expect.stringMatching(/^ {2}accepts valid requests → .* expected 204$/)])
  expect(curls(lines)).toEqual([expect.stringMatching(/ -d '\{"name":"[^"]+","kind":"[^"]*"\}'$/)])
  // Nothing is known of the values of what always fails.
  expect(lines).toContain(
    'left out: POST /things refuses body/kind that breaks: type: valid requests get the same response, so that a refusal says nothing',
  )
})

test('a rule is blamed where a valid request has another fault', async () => {
  const contract = thingsWith({ 200: { description: 'Done.', content: json({ type: 'array' }) }, 400: refused })
  const url = await answer((_request, text) => {
    return !text.includes('"name"') ? [400] : [200, '{}', 'application/json']
  })
  const { lines } = await runTestOf(contract, args(url))
  expect(reports(lines)).toContainEqual(expect.stringMatching(/^ {2}accepts valid requests → .*must be an array/))
  expect(reports(lines)).toContainEqual(
    expect.stringMatching(/^ {2}refuses body\/name that breaks: minLength → received 200, expected 400$/),
  )
})

test('a note of a refusal that the contract does not explain shows one request', async () => {
  const url = await serve((body) => (typeof body === 'object' && body !== null && !('kind' in body) ? 204 : 400))
  const { lines } = await runTestOf(thingsWith({ ...done, 400: refused }), args(url))
  const notes = lines.flatMap((line, index) =>
    line.startsWith('  note: ') ? [`${line}${lines[index + 1] ?? ''}`] : [],
  )
  expect(notes).toEqual([
    expect.stringMatching(/^ {2}note: 400 for a request .* \(\d tests?\) {2}curl .* -d '\{.*"kind":.*\}'$/),
  ])
})

test('a server that refuses everything is not tested by its refusals', async () => {
  const { code, lines } = await runTestOf(thingsWith({ ...done, 400: refused }), args(await serve(() => 400)))
  expect(code).toBe(2)
  expect(lines.filter((line) => line.startsWith('left out: '))).toEqual([
    expect.stringMatching(/^left out: \d+ tests of POST \/things: valid requests get the same response, so that/),
    expect.stringMatching(/^left out: POST \/things: no request succeeds: received 400 \(\d+\)/),
  ])
  expect(lines).toContainEqual(expect.stringMatching(/^POST \/things +1 ok$/))
})

test('tests that the same request shows are one report', async () => {
  const url = await serve((body) => (body === undefined ? 204 : 400))
  const requestBody = { required: true, content: json({ type: 'object' }) }
  const post = { operationId: 'addThing', requestBody, responses: { ...done, 400: refused } }
  const { lines } = await runTestOf(contractOf({ '/things': { post } }, { security: [] }), args(url))
  expect(new Set(curls(lines)).size).toBe(curls(lines).length)
  expect(reports(lines)).toContainEqual(
    expect.stringMatching(/^ {2}refuses \S.* \(and 1 more such test\) → received 204, expected 400$/),
  )
})

test('each rule that is broken with success is a report, with its places', async () => {
  const url = await serve((body) => (body === undefined ? 400 : 204))
  const { lines } = await runTestOf(thingsWith({ ...done, 400: refused }), args(url))
  const found = reports(lines).map((line) =>
    /that breaks: (\w+)(?: \(and (\d+) more such tests: (.*)\))? → /.exec(line)?.slice(1),
  )
  expect(found).toContainEqual(['required', undefined, undefined])
  expect(found).toContainEqual(['minLength', undefined, undefined])
  expect(found).toContainEqual(['type', '4', expect.stringMatching(/^body/) as string])
  expect(found).toHaveLength(3)
  // What does not matter is not sent.
  expect(curls(lines)).toContainEqual(expect.stringMatching(/ -d '\{"name":""\}'$/))
})

test('each item of a tuple is broken by itself', async () => {
  const tuple = {
    type: 'array',
    prefixItems: [{ ...text, minLength: 1 }, { enum: [1, 2] }],
    items: { type: 'boolean' },
  }
  const requestBody = { required: true, content: json({ ...tuple, minItems: 2 }) }
  const contract = contractOf({ '/pairs': { post: { operationId: 'addPair', requestBody, responses: done } } })
  const url = await serve((body) => (body === undefined ? 400 : 204))
  const { lines } = await runTestOf({ ...contract, security: [] }, args(url))
  const places = ['body/0 that breaks: minLength', 'body/1 that breaks: enum', 'body/2 that breaks: type']
  for (const [place, keyword] of places.map((each) => each.split(' that breaks: '))) {
    expect(reports(lines)).toContainEqual(
      expect.stringMatching(
        `breaks: ${String(keyword)}.*${String(place)}|${String(place)} that breaks: ${String(keyword)}`,
      ),
    )
  }
})

test('the request of a report has nothing that does not matter', async () => {
  const nameOf = (body: unknown) => Object(body) as { name?: unknown }
  const url = await serve((body) => {
    const { name } = nameOf(body)
    return typeof name === 'string' && name.length > 30 ? 500 : body === undefined ? 400 : 204
  })
  const { lines } = await runTestOf(thingsWith({ ...done, 400: refused }), args(url))
  expect(curls(lines)).toContainEqual(expect.stringMatching(/ -d '\{"name":"a{31}"\}'$/))
})

test('one member stands for all beside the declared ones', async () => {
  const closed = { ...thing, additionalProperties: false }
  const requestBody = { required: true, content: json(closed) }
  const post = { operationId: 'addThing', requestBody, responses: { ...done, 400: refused } }
  const url = await serve((body) => (typeof body === 'object' && body !== null && 'name' in body ? 204 : 400))
  const { lines } = await runTestOf(contractOf({ '/things': { post } }, { security: [] }), [
    ...args(url),
    '--seed',
    '2',
  ])
  const at = lines.findIndex((line) => line.includes('breaks: additionalProperties'))
  const [, sent = ''] = / -d '(.*)'$/.exec(lines[at + 1] ?? '') ?? []
  const names = Object.keys(JSON.parse(sent) as object)
  expect(names.filter((name) => !Object.hasOwn(properties, name))).toHaveLength(1)
})

test('422 is expected where the contract declares it in place of 400', async () => {
  const contract = thingsWith({ ...done, 422: refused })
  const { problemsOf } = readContract(contract)
  const refusing = (status: number) => (body: unknown) => (problemsOf(body ?? 0, thing).length === 0 ? 204 : status)
  const right = await runTestOf(contract, args(await serve(refusing(422))))
  expect(right.lines.filter((line) => /note|→/.test(line))).toEqual([])
  expect(right.code).toBe(0)
  const other = await runTestOf(contract, args(await serve(refusing(400))))
  expect(other.lines).toContainEqual(expect.stringMatching(/^ {2}note: 400 is not declared/))
})

test('a failing handler in the same process is reported with what it has thrown', async () => {
  const app = Fastify()
  app.get('/things', () => {
    throw new Error('the drawer is locked')
  })
  onTestFinished(() => app.close())
  const contract = readContract(
    contractOf({ '/things': { get: { operationId: 'listThings', responses: noContent } } }, { security: [] }),
  )
  const problems: string[] = []
  for await (const result of testServer(contract, { app, seconds: 5 })) {
    if (result.verdict === 'fault') problems.push(...result.faults.map(({ problem }) => problem))
  }
  expect(problems).toContainEqual(
    expect.stringMatching(
      /received 500, .*; the server says: Error: the drawer is locked \(at .*reports\.long\.test\.ts:\d+:\d+\)?\)$/,
    ),
  )
})

test('the report of a comparison has both sides of what differs', async () => {
  const suite = createContractSuite(readContract(thingsWith(done)), { exchange: () => Promise.reject(new Error()) })
  onTestFinished(() => suite.close())
  const result = await suite.resultOf('things are equal', () => {
    expect({ status: 200, body: { name: 'a', all: [1] } }).toEqual({ status: 200, body: { name: 'b', all: [1] } })
    return Promise.resolve()
  })
  expect(result).toMatchObject({
    faults: [
      {
        problem: expect.stringMatching(
          /: received \{"body":\{"all":\[1\],"name":"a"\}\}, expected \{"body":\{.*"b"\}\}$/,
        ) as string,
      },
    ],
  })
})

/** The faults of a server that accepts what it should not fail for. @param reply to the JSON of a request */
async function faultsOfValid(document: object, reply: (body: unknown) => [status: number, text?: string]) {
  const exchange = ({ body }: WireRequest) => {
    const [status, text] = reply(JSON.parse(String(body)))
    const headers = text === undefined ? {} : { 'content-type': 'application/json' }
    return Promise.resolve({ status, headers, text: text ?? '' })
  }
  for await (const result of testServer(readContract(document), { exchange: whole(exchange), seed: 7, seconds: 20 }))
    if (result.title.endsWith('accepts valid requests')) return result.verdict === 'fault' ? result.faults : []
  return []
}

/** Answers also what asks whether the server is there. */
const whole =
  (exchange: Exchange): Exchange =>
  (request) =>
    request.body === undefined ? Promise.resolve({ status: 404, headers: {}, text: '' }) : exchange(request)

test('a test that fails for two causes has both, each with what it alone needs', async () => {
  const faults = await faultsOfValid(thingsWith({ ...done, 400: refused }), (body) => {
    const { color, size, kind } = Object(body) as Record<string, unknown>
    return [color !== undefined ? 500 : size !== undefined && kind !== undefined ? 502 : 204]
  })
  expect(faults.map(({ problem, requests }) => [problem.slice(0, 27), String(requests.at(-1)?.body)])).toEqual([
    ['POST /things: received 500:', expect.stringMatching(/^\{"name":"[^"]+","color":""\}$/)],
    ['POST /things: received 502:', expect.stringMatching(/^\{"name":"[^"]+","kind":"","size":-?\d+\}$/)],
  ])
})

test.each([
  ['more of the same is wrong', (body: unknown) => JSON.stringify([body].flat().map(String))],
  ['other text is no JSON', (body: unknown) => `[${JSON.stringify([body].flat().map(String))},NaN]`],
])('a response in which %s is no fault of its own', async (_name, reply) => {
  const list = json({ type: 'array', items: { type: 'integer' }, maxItems: 3 })
  const post = {
    operationId: 'echo',
    requestBody: { required: true, content: list },
    responses: { 200: { description: 'Echoed.', content: list } },
  }
  const faults = await faultsOfValid(contractOf({ '/echo': { post } }, { security: [] }), (body) => [200, reply(body)])
  expect(faults.map(({ requests }) => requests.at(-1)?.body)).toEqual([expect.stringMatching(/^\[-?\d*\]$/)])
})

test('a creation with what is required alone, in plain, is followed where others are refused', async () => {
  const item = json({ type: 'object', properties: { id: { type: 'integer' }, ...properties } })
  const contract = contractOf(
    {
      '/things': {
        post: {
          operationId: 'addThing',
          requestBody: { required: true, content: json(thing) },
          responses: { 201: { description: 'Added.', content: item }, 400: refused },
        },
      },
      '/things/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        get: { operationId: 'getThing', responses: { 200: { description: 'Found.', content: item }, 404: refused } },
      },
    },
    { security: [] },
  )
  let count = 0
  // Nothing is found.
  const url = await answer(({ method }, text) => {
    if (method !== 'POST') return [404]
    if (text.toString() !== '{"name":"text"}') return [400]
    return [201, JSON.stringify({ id: ++count, name: 'a' }), 'application/json']
  })
  const { lines } = await runTestOf(contract, args(url))
  expect(reports(lines)).toContainEqual(
    expect.stringMatching(/^ {2}creates \/things\/\{id\} that .* received 404, though it was created$/),
  )
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}note: 400 for a request that the contract allows/))
})

test('a broken member of a part that may be left out is sent without the others', async () => {
  const order = { oneOf: [text, { type: 'array', items: text }] }
  const filter = { type: 'object', properties: { limit: { type: 'integer', minimum: 1 }, order, fields: text } }
  const parameters = [{ name: 'filter', in: 'query', content: json(filter) }]
  const get = { operationId: 'listThings', parameters, responses: { ...done, 400: refused } }
  const url = await answer(() => [204])
  const { lines } = await runTestOf(contractOf({ '/things': { get } }, { security: [] }), args(url))
  const sent = curls(lines).map((line) => decodeURIComponent(line))
  expect(sent).toContainEqual(expect.stringMatching(/\?filter=\{"order":[^,]*\}'$/))
})

test('bytes of no media type are named as what is not declared', async () => {
  const url = await listen((_request, response) => {
    response.writeHead(200).end(Buffer.from([0xff]))
  })
  const get = { operationId: 'getThing', responses: { 200: { description: 'Done.' } } }
  const { lines } = await runTestOf(contractOf({ '/things': { get } }, { security: [] }), args(url))
  expect(reports(lines)).toEqual([expect.stringContaining('received 200: has a body, and none is declared')])
})
