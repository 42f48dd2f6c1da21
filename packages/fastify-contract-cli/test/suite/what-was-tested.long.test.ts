import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Result, type TestOptions, readContract, test as testServer } from '../../src/suite.ts'
import { contractOf, json, noContent } from '../contracts.ts'
import { petsContract, petsDocument } from './pets-contract.ts'
import { type Faults, servePets } from './pets-server.ts'
import { answer, listen, runTestOf } from './run-test.ts'

const withKey = ['--auth', 'key=k', '--seed', '7']
const ofKey = ['POST /pets', 'GET /pets', 'GET /pets/{petId}', 'PUT /pets/{petId}', 'DELETE /pets/{petId}']

test('operations without credentials give exit code 2, unless --skip names them', async () => {
  const url = await servePets()
  const unnamed = await runTestOf(petsDocument, ['--url', url])
  expect(unnamed.code).toBe(2)
  expect(unnamed.lines).toContain('left out: 5 operations need key (--auth key=…)')
  expect(unnamed.lines.at(-1)).toMatch(/^7 operations, \d+ requests in \d+ s: \d+ ok, 0 failed, 5 not tested;/)
  const named = await runTestOf(petsDocument, ['--url', url, ...ofKey.flatMap((id) => ['--skip', id])])
  expect(named.lines).toContainEqual(expect.stringMatching(/^skipped: (?:[A-Z]+ \/pets\S*(?:, |$)){5}/))
  expect(named.code).toBe(0)
})

test('a run that sends nothing has exit code 2', async () => {
  const url = await servePets()
  const only = ['--only', 'GET /pets', '--url', url]
  expect((await runTestOf(petsDocument, only)).code).toBe(2)
  expect(await runTestOf(petsDocument, [...only, '--skip', 'listPets'])).toEqual({
    code: 2,
    lines: [
      'skipped: GET /pets',
      expect.stringMatching(/^1 operation, 0 requests in 0 s: 0 ok, 0 failed; never seen: /),
    ],
  })
})

test('a skipped operation gets no request', async () => {
  const methods = new Set<string>()
  const reply: Faults['reply'] = (right, { method }) => {
    methods.add(method)
    return right
  }
  const skip = ['--skip', 'DELETE /pets/{petId}', '--skip', 'search']
  expect(await runTestOf(petsDocument, ['--url', await servePets({ reply }), ...withKey, ...skip])).toMatchObject({
    code: 0,
  })
  expect(methods).toEqual(new Set(['GET', 'POST', 'PUT']))
  const unknown = await runTestOf(petsDocument, ['--url', await servePets(), ...withKey, '--skip', 'GET /none'])
  expect(unknown).toEqual({ code: 2, lines: ['the contract has no operation GET /none'] })
})

test('an operation that answers 501 is named and is no failure, unless all do', async () => {
  const reply: Faults['reply'] = (right, { method, path }) =>
    method === 'GET' && path.startsWith('/pets/') && right.status < 400 ? { status: 501 } : right
  const { code, lines } = await runTestOf(petsDocument, ['--url', await servePets({ reply }), ...withKey])
  expect(lines).toContain('not implemented (501): GET /pets/{petId}')
  expect(code).toBe(0)
  const nothing = await servePets({ reply: () => ({ status: 501 }) })
  expect(await runTestOf(petsDocument, ['--url', nothing, ...withKey])).toMatchObject({ code: 2 })
})

test('an operation that refuses each valid request is not tested', async () => {
  const reply: Faults['reply'] = (right, { method }) =>
    method === 'PUT' ? { status: 404, body: { title: 'a' } } : right
  const skip = ['--skip', 'POST /pets']
  const { code, lines } = await runTestOf(petsDocument, ['--url', await servePets({ reply }), ...withKey, ...skip])
  expect(lines).toContainEqual(
    expect.stringMatching(
      /^left out: PUT \/pets\/\{petId\}: no request succeeds: received 404 \(\d+\).*; give values that exist \(--path petId=…\), or --skip it$/,
    ),
  )
  expect(code).toBe(2)
})

test('an operation that answers nothing but 429 is not tested', async () => {
  const limited = { status: 429, headers: {} }
  const refused = { description: 'Later.' }
  const paths = structuredClone(petsDocument['paths']) as Record<string, Record<string, { responses?: object }>>
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path)))
    if (operation.responses !== undefined) operation.responses = { ...operation.responses, 429: refused }
  const document = { ...petsDocument, paths }
  let count = 0
  const reply: Faults['reply'] = (right) => (++count > 400 ? limited : right)
  const { code, lines } = await runTestOf(document, ['--url', await servePets({ reply }), ...withKey])
  expect(lines).toContainEqual(
    expect.stringMatching(/^left out: .*: every request got 429; test a server without a limit of requests$/),
  )
  expect(lines.at(-1)).toMatch(/ 0 failed, \d+ not tested/)
  expect(code).toBe(2)
})

const xmlBody = (media: object) => {
  const requestBody = { required: true, content: { 'application/xml': { schema: { type: 'object' }, ...media } } }
  const b = { post: { operationId: 'addB', requestBody, responses: noContent } }
  return contractOf({ '/a': { get: { operationId: 'getA', responses: noContent } }, '/b': b }, { security: [] })
}

test('an operation of which no valid request is known is not tested, but with its example', async () => {
  const bodies = new Set<string>()
  const url = await answer((request, body) => {
    if (request.url === '/b') bodies.add(body.toString())
    return [204]
  })
  const { code, lines } = await runTestOf(xmlBody({}), ['--url', url])
  expect(lines).toContain('left out: POST /b: cannot generate a body of application/xml; give it an example')
  expect(code).toBe(2)
  const exampled = await runTestOf(xmlBody({ example: '<b/>' }), ['--url', url])
  expect(bodies).toEqual(new Set(['<b/>']))
  expect(exampled.code).toBe(0)
})

const albumId = { name: 'albumId', in: 'path', required: true, schema: { type: 'integer' } }
const refusals = { 400: { description: 'Broken.' }, 404: { description: 'None.' }, 415: { description: 'No JSON.' } }
const title = { type: 'object', required: ['title'], properties: { title: { type: 'string' } } }
const albums = contractOf(
  {
    '/albums': {
      post: {
        operationId: 'addAlbum',
        requestBody: { required: true, content: json(title) },
        responses: {
          201: { description: 'Added.', content: json({ type: 'object', properties: { id: { type: 'integer' } } }) },
          400: refusals[400],
          415: refusals[415],
        },
      },
    },
    '/albums/{albumId}': {
      parameters: [albumId],
      delete: { operationId: 'removeAlbum', responses: { 204: { description: 'Done.' }, 404: refusals[404] } },
    },
    '/albums/{albumId}/note': {
      parameters: [albumId],
      get: {
        operationId: 'getNote',
        responses: {
          200: { description: 'Its note.', content: { 'text/plain': { schema: { type: 'string' } } } },
          404: refusals[404],
        },
      },
      put: {
        operationId: 'setNote',
        requestBody: { required: true, content: json(title) },
        responses: { 204: { description: 'Done.' }, ...refusals },
      },
    },
  },
  { security: [] },
)

/** Serves albums, each with a note, and asks what exists before it reads a body. */
function serveAlbums(): Promise<string> {
  const notes = new Map<string, string | undefined>()
  return answer(({ method = '', url = '', headers: { 'content-type': type } }, body) => {
    const [, , id = '', note] = url.split('/')
    if (id !== '' && !notes.has(id)) return [404]
    if (method === 'DELETE') return notes.delete(id) ? [204] : [404]
    const known = notes.get(id)
    if (method === 'GET') return known === undefined ? [404] : [200, known, 'text/plain; charset=utf-8']
    if (type !== 'application/json') return [415]
    let sent: unknown
    try {
      sent = (JSON.parse(body.toString()) as { title?: unknown } | null)?.title
    } catch {
      return [400]
    }
    if (typeof sent !== 'string') return [400]
    if (note !== undefined) {
      notes.set(id, sent)
      return [204]
    }
    const own = String(notes.size + 1_000_000)
    notes.set(own, undefined)
    return [201, `{"id":${own}}`, 'application/json; charset=utf-8']
  })
}

test('a run creates, reads and breaks what is within a thing before it deletes the thing', async () => {
  const { code, lines } = await runTestOf(albums, ['--url', await serveAlbums(), '--seed', '8', '--coverage'])
  expect(lines.filter((line) => /failed|left out|never seen:/.test(line))).toEqual([
    expect.stringMatching(/^4 operations, .* ok, 0 failed$/),
  ])
  expect(code).toBe(0)
})

test.each(['1', '7', '10', '20', '40'])('--seconds takes %s', async (seconds) => {
  const args = ['--url', await servePets(), '--only', 'POST /pictures', '--seconds', seconds]
  expect(await runTestOf(petsDocument, args)).toMatchObject({ code: 0 })
})

interface Timed {
  result: Result
  /** In milliseconds. */
  took: number
}

/** Runs each test, and measures how long it takes. */
async function timed(options: TestOptions, contract = petsContract): Promise<Timed[]> {
  const results: Timed[] = []
  let start = performance.now()
  for await (const result of testServer(contract, { seed: 7, ...options })) {
    results.push({ result, took: performance.now() - start })
    start = performance.now()
  }
  return results
}

test('each test that is ok has sent a request', async () => {
  const url = await servePets({ delay: 100 })
  const args = ['--url', url, ...withKey, '--seconds', '3']
  const { code, lines } = await runTestOf(petsDocument, args)
  const [, sent = '', ok = ''] = /, (\d+) requests in \d+ s: (\d+) ok/.exec(lines.at(-1) ?? '') ?? []
  expect(Number(ok)).toBeLessThan(Number(sent))
  expect(lines).toContainEqual(expect.stringMatching(/^left out: .*: the time is up; give more with --seconds$/))
  expect(code).toBe(2)
})

test('a slow server is asked for each operation', async () => {
  const seconds = 8
  const all = await timed({ url: await servePets({ delay: 300 }), auth: { key: 'k' }, seconds })
  const tested = all.filter(({ result }) => result.verdict === 'ok').map(({ result }) => result.route)
  expect(new Set(tested).size).toBe(petsContract.operations.length)
  expect(all.reduce((sum, { took }) => sum + took, 0)).toBeLessThan(seconds * 1000 + 1_000)
})

const limited = { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 0, maximum: 9 } }
const lists = contractOf(
  Object.fromEntries(
    'abcdef'.split('').map((name) => {
      const responses = { ...noContent, 400: { description: 'Broken.' } }
      return [`/${name}`, { get: { operationId: name, parameters: [limited], responses } }]
    }),
  ),
  { security: [] },
)

test('an operation that does not respond takes no time of the others', async () => {
  const url = await listen(({ url: target = '' }, response) => {
    if (target.startsWith('/a')) return
    const limit = new URL(target, 'http://localhost').searchParams.get('limit') ?? '0'
    response.writeHead(/^\d$/.test(limit) ? 204 : 400).end()
  })
  const { code, lines } = await runTestOf(lists, ['--url', url, '--seed', '7', '--seconds', '20'])
  const told = lines.filter((line) => line.startsWith('GET '))
  expect(told.map((line) => line.replace(/ +/g, ' ').replace(/[1-9] failed/, 'failed'))).toEqual([
    'GET /b 4 ok',
    'GET /c 4 ok',
    'GET /d 4 ok',
    'GET /e 4 ok',
    'GET /f 4 ok',
    'GET /a 0 ok, failed',
  ])
  expect(lines).toContainEqual(expect.stringMatching(/^left out: .*GET \/a: the time is up; give more with --seconds$/))
  expect(code).toBe(1)
})

const properties = Object.fromEntries(
  Array.from({ length: 20 }, (_, index) => [
    `p${String(index)}`,
    { type: 'string', pattern: '^(a|b|cd)*e{2,9}[x-z]+$' },
  ]),
)
const large = readContract(
  contractOf(
    {
      '/a': {
        post: {
          operationId: 'addA',
          requestBody: { required: true, content: json({ type: 'array', items: { type: 'object', properties } }) },
          responses: noContent,
        },
      },
    },
    { security: [] },
  ),
)

test('drawing and shrinking end with the time, and what was found is told', async () => {
  const exchange = async ({ body }: { body?: unknown }) => {
    await setTimeout(20)
    return { status: String(body).length > 200 ? 500 : 204, headers: {}, text: '' }
  }
  const start = performance.now()
  const results = await timed({ exchange, seconds: 6 }, large)
  expect(performance.now() - start).toBeLessThan(10_000)
  // Which test draws the first long body depends on the time that each has.
  const kinds = results
    .flatMap(({ result }) => (result.verdict === 'fault' ? result.faults : []))
    .map(({ kind }) => kind)
  expect(kinds).toContain('fault of the server')
})
