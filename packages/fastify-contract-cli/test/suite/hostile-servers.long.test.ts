import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { execFile } from 'node:child_process'
import { type RequestListener, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { type TestOptions, Unjudged, readContract, test as testServer } from '../../src/suite.ts'
import { petsContract } from './pets-contract.ts'
import { listen } from './run-test.ts'

const cli = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))
const pets = fileURLToPath(new URL('pets.yaml', import.meta.url))

/** @returns the faults, or why the server could not be judged */
async function faultsOf(url: string, options: TestOptions = {}): Promise<string[] | string> {
  const problems: string[] = []
  try {
    for await (const result of testServer(petsContract, { url, auth: { key: 'k' }, seed: 1, seconds: 6, ...options })) {
      if (result.verdict !== 'fault') continue
      problems.push(...result.faults.map(({ kind, problem }) => `${kind}: ${problem}`))
    }
  } catch (error) {
    if (error instanceof Unjudged) return error.message
    throw error
  }
  return problems
}

/** @returns why tests were left out, and the other verdicts */
async function reasonsOf(options: TestOptions): Promise<Set<string>> {
  const reasons = new Set<string>()
  for await (const result of testServer(petsContract, options))
    reasons.add(result.verdict === 'left out' ? result.reason : result.verdict)
  return reasons
}

/** Behaves in this way but for the first request, which asks whether the server is there. */
function afterFirst(listener: RequestListener): RequestListener {
  let count = 0
  return (request, response) => {
    if (count++ > 0) listener(request, response)
    else response.end()
  }
}

const endless: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const write = () => {
    while (!response.destroyed && response.write('['.repeat(65_536)));
    if (!response.destroyed) response.once('drain', write)
  }
  write()
}

test('a server that never completes a response cannot be judged', async () => {
  expect(await faultsOf(await listen(() => undefined))).toMatch(/no complete response within 1.5 s/)
  expect(await faultsOf(await listen((request) => request.destroy()))).toMatch(/no response: /)
})

const switches: RequestListener = ({ socket }) => {
  socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n')
}

const early: RequestListener = ({ socket }) => {
  socket.end('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n[]')
}
const more: RequestListener = ({ socket }) => {
  socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[] and more')
}

test.each<[string, RequestListener, RegExp]>([
  ['stalls', () => undefined, /^no response: no complete response within 5 s/],
  ['closes connections', (request) => request.destroy(), /^no response: no response: /],
  ['does not end its bodies', endless, /^broken response: the response is longer than 10000000 bytes/],
  ['ends its bodies early', early, /^broken response: the response is not complete/],
  ['sends more than it says', more, /^broken response: the response is not HTTP\/1.1: Parse Error/],
  ['switches protocols', switches, /^fault of the server: received 101, which no request has asked for/],
  ['redirects', (_request, response) => response.writeHead(301, { location: '/' }).end(), /^undeclared status: .*301/],
])('a server that %s on some requests breaks the contract', async (_name, listener, problem) => {
  const start = performance.now()
  const faults = await faultsOf(await listen(afterFirst(listener)), { auth: {}, seconds: 20 })
  expect(faults).toContainEqual(expect.stringMatching(problem))
  expect(performance.now() - start).toBeLessThan(24_000)
})

test.each<[string, RequestListener]>([
  ['never ends its bodies', endless],
  ['ends its bodies early', early],
  ['sends more than it says', more],
  ['switches protocols', switches],
])('a server that always %s breaks the contract', async (_name, listener) => {
  const problem = /^(?:broken response|fault of the server): /
  expect(await faultsOf(await listen(listener), { auth: {} })).toContainEqual(expect.stringMatching(problem))
})

test('a run that is too short to wait for a response leaves its test out', async () => {
  const url = await listen(afterFirst(() => undefined))
  const options = { url, auth: { key: 'k' }, seed: 1, seconds: 8, only: 'GET /search' }
  const reasons = await reasonsOf(options)
  expect(reasons).toEqual(
    new Set(['no complete response within 2 s; give more with --seconds', 'the server does not respond any more']),
  )
})

test('a test is not ok where a later response is not waited for', async () => {
  let count = 0
  const url = await listen((_request, response) => {
    if (count++ % 20 < 18) response.writeHead(200, { 'content-type': 'application/json' }).end('[]')
  })
  const verdicts = new Map<string, string>()
  const options = { url, seed: 1, seconds: 6, only: 'GET /pets', auth: { key: 'k' } }
  for await (const { title, verdict } of testServer(petsContract, options)) verdicts.set(title, verdict)
  expect(verdicts.get('listPets accepts valid requests')).toBe('left out')
})

test('a server that gives no response to the first credentials breaks the contract', async () => {
  const url = await listen(afterFirst((request) => request.destroy()))
  expect(await faultsOf(url)).toContainEqual(expect.stringMatching(/^no response: /))
})

/** Answers each request with an empty list in a coding. */
const coded =
  (coding: string, body: Buffer): RequestListener =>
  (request, response) => {
    request.resume()
    const status = request.url === '/v1/pets' && request.headers['x-key'] === 'k' ? 200 : 401
    const headers = { 'content-type': 'application/json', 'content-encoding': coding, 'content-length': body.length }
    response.writeHead(status, headers).end(body)
  }

test.each<[string, Buffer]>([
  ['gzip', gzipSync('[]')],
  ['br', brotliCompressSync('[]')],
  ['deflate', deflateSync('[]')],
  ['zstd', zstdCompressSync('[]')],
])('a body that is coded as %s is read', async (coding, body) => {
  const options = { only: 'GET /pets', scale: 0.1 }
  const faults = await faultsOf(await listen(coded(coding, body)), options)
  expect(faults).toContainEqual(expect.stringMatching(/received 401: the body must be an object; received \[\]/))
  expect(faults).not.toContainEqual(expect.stringMatching(/received 200/))
  const plain = await faultsOf(await listen(coded(coding, Buffer.from('[]'))), options)
  expect(plain).toContainEqual(`broken response: received 200: the body is not ${coding}, its Content-Encoding`)
})

test('a small body that is decoded to 20 MB is read up to the limit of a response', async () => {
  const bomb = coded('gzip', gzipSync(Buffer.alloc(20_000_000)))
  expect(await faultsOf(await listen(bomb))).toContainEqual(
    expect.stringMatching(/the response is longer than 10000000 bytes$/),
  )
})

/** Other processes make a run longer, but not dearer. */
const printCpu = `process.on('exit', () => console.error('CPU:', process.cpuUsage().user))`

test.each<[string, string]>([
  ['integers', `[${'0,'.repeat(4_000_000)}0]`],
  ['an endless integer', `[1${'0'.repeat(8_000_000)}]`],
  ['open brackets', '['.repeat(8_000_000)],
  ['texts', `[${'"",'.repeat(2_500_000)}0]`],
  ['one text that does not end', `"${String.raw`\"`.repeat(4_000_000)}`],
])('a body of 8 MB with %s takes neither time nor memory', async (_name, body) => {
  const url = await listen(
    afterFirst((request, response) => {
      request.resume()
      response.writeHead(200, { 'content-type': 'application/json' }).end(body)
    }),
  )
  const node = ['--max-old-space-size=192', `--import=data:text/javascript,${encodeURIComponent(printCpu)}`]
  const args = [cli, 'test', pets, '--url', url, '--seconds', '30', '--only', 'GET /pets', '--auth', 'key=k']
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...node, ...args])
    // It also takes what it has to refuse.
    .catch((error: unknown) => error as { stdout: string; stderr: string })
  expect(stdout).toMatch(/^  not judged in \d tests?: a response has more than 1 MiB, which is not checked$/m)
  expect(Number(/^CPU: (\d+)$/m.exec(stderr)?.[1])).toBeLessThan(10_000_000)
})

test('a body of 1 MB is checked within seconds', async () => {
  const body = `[${'0,'.repeat(500_000)}0]`
  const url = await listen(
    afterFirst((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(body)
    }),
  )
  const start = process.cpuUsage()
  expect(await faultsOf(url, { only: 'GET /pets', seconds: 3 })).toContainEqual(
    expect.stringMatching(/^broken response: GET \/pets/),
  )
  expect(process.cpuUsage(start).user).toBeLessThan(12_000_000)
})

test('the rest is skipped if the server is gone after a fault', async () => {
  const listener = afterFirst(() => {
    server.closeAllConnections()
    server.close()
  })
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const reasons = await reasonsOf({ url: `http://127.0.0.1:${String(port)}`, seed: 1, seconds: 6 })
  expect(reasons).toContain('the server does not respond any more')
})

test('a run ends in its time however large the contract is', async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      `p${String(index)}`,
      { type: 'string', maxLength: 9, pattern: '^[a-z]*$' },
    ]),
  )
  const post = (index: number) => ({
    operationId: `post${String(index)}`,
    requestBody: { required: true, content: { 'application/json': { schema: { type: 'object', properties } } } },
    responses: { 204: { description: 'Done.' } },
  })
  const paths = Object.fromEntries(
    Array.from({ length: 100 }, (_, index) => [`/${String(index)}`, { post: post(index) }]),
  )
  const exchange = () => Promise.resolve({ status: 400, headers: {}, text: '' })
  const start = performance.now()
  const verdicts = new Set<string>()
  for await (const { verdict } of testServer(readContract({ paths }), { exchange, seconds: 3 })) verdicts.add(verdict)
  expect(performance.now() - start).toBeLessThan(8_000)
  expect(verdicts).toEqual(new Set(['ok', 'left out']))
})

const to = (index: number) => ({ $ref: `#/components/schemas/S${String(index)}` })
/** Schemas each of which refers to the next twice. */
const doubling = (schemaOf: (next: object) => object) =>
  Object.fromEntries(
    Array.from({ length: 31 }, (_, index) => [`S${String(index)}`, index < 30 ? schemaOf(to(index + 1)) : {}]),
  )
const both = (next: object) => ({ type: 'object', properties: { a: next, b: next } })
const conditions = Array.from({ length: 40 }, (_, least) => ({
  if: { properties: { a: { minimum: least } } },
  then: { properties: { b: { maximum: -least } } },
  else: { properties: { c: { minimum: least } } },
}))
const numbers = { a: { type: 'integer' }, b: { type: 'integer' }, c: { type: 'integer' } }

test.each<[string, object]>([
  ['2^30 required members', doubling((next) => ({ ...both(next), required: ['a', 'b'] }))],
  ['2^30 optional members', doubling(both)],
  ['2^30 parts', doubling((next) => ({ allOf: [next, next] }))],
  ['2^30 alternatives', doubling((next) => ({ oneOf: [next, { type: 'array', items: next }] }))],
  [
    '2^40 ways through conditions',
    { S0: { type: 'object', required: ['a', 'b', 'c'], properties: numbers, allOf: conditions } },
  ],
  ['100,000 constants', { S0: { enum: Array.from({ length: 100_000 }, (_, index) => `value ${String(index)}`) } }],
])('a contract of %s takes neither much time nor memory', async (_name, schemas) => {
  const requestBody = { required: true, content: { 'application/json': { schema: to(0) } } }
  const security = [{ key: [] }]
  const post = { operationId: 'add', security, requestBody, responses: { 204: { description: 'Done.' } } }
  const securitySchemes = { key: { type: 'apiKey', in: 'header', name: 'X-Key' } }
  const contract = readContract({ paths: { '/a': { post } }, components: { schemas, securitySchemes } })
  const exchange = () => Promise.resolve({ status: 400, headers: {}, text: '' })
  const start = process.cpuUsage()
  const verdicts = new Set<string>()
  for await (const { verdict } of testServer(contract, { exchange, auth: { key: 'k' }, seconds: 3 }))
    verdicts.add(verdict)
  expect(process.cpuUsage(start).user).toBeLessThan(20_000_000)
  expect(verdicts).toContain('left out')
  expect(verdicts).not.toContain('fault')
})

test('a path that is too long for a URL is left out', async () => {
  const get = { operationId: 'get', responses: { 204: { description: 'Done.' } } }
  const contract = readContract({ paths: { [`/${'a'.repeat(50_000)}`]: { get } } })
  const exchange = () => Promise.resolve({ status: 204, headers: {}, text: '' })
  for await (const { verdict } of testServer(contract, { exchange, seconds: 3 })) expect(verdict).toBe('left out')
})
