import { type RequestListener, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type TestOptions, Unjudged, readContract, test as testServer } from '../../src/suite.ts'
import { petsContract } from './pets-contract.ts'

/** Starts a server that ends with the test. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  // It listens on a port.
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
}

/** @returns the faults, or why the server could not be judged */
async function faultsOf(url: string, options: TestOptions = {}): Promise<string[] | string> {
  const problems: string[] = []
  try {
    for await (const result of testServer(petsContract, { url, auth: { key: 'k' }, seed: 1, seconds: 6, ...options })) {
      if (result.verdict === 'fault') problems.push(`${result.kind}: ${result.problem}`)
    }
  } catch (error) {
    if (error instanceof Unjudged) return error.message
    throw error
  }
  return problems
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

test('an unreachable server cannot be judged', async () => {
  const url = await serve(() => undefined)
  expect(await faultsOf(url.replace(/\d+$/, '1'))).toMatch(/^the server cannot be reached: .*ECONNREFUSED/)
  expect(await faultsOf('localhost:3000')).toMatch(/^localhost:3000 is not the URL of a server/)
})

test('a server that never completes a response cannot be judged', async () => {
  expect(await faultsOf(await serve(() => undefined))).toMatch(/no complete response within 0.5 s/)
  expect(await faultsOf(await serve((request) => request.destroy()))).toMatch(/no response: /)
  expect(await faultsOf(await serve(endless), { seconds: 60 })).toMatch(/longer than 10000000 bytes/)
})

const none = { auth: {} }
test.each<[string, RequestListener, RegExp]>([
  ['stalls', () => undefined, /^no response: no complete response within 0.5 s/],
  ['closes connections', (request) => request.destroy(), /^no response: no response: /],
  ['does not end its bodies', endless, /^no response: (?:the response is longer|no complete response)/],
  ['redirects', (_request, response) => response.writeHead(301, { location: '/' }).end(), /^undeclared status: .*301/],
])('a server that %s on some requests breaks the contract', { timeout: 20_000 }, async (_name, listener, problem) => {
  const start = performance.now()
  const faults = await faultsOf(await serve(afterFirst(listener)), none)
  expect(faults).toContainEqual(expect.stringMatching(problem))
  expect(performance.now() - start).toBeLessThan(12_000)
})

test('a server that always refuses the credentials cannot be judged', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(401, { 'content-type': 'application/json' }).end('{"title":"who?"}')
  })
  expect(await faultsOf(url)).toBe('the server refuses the credentials of key everywhere (401); check --auth key=…')
})

test('the rest is skipped if the server is gone after a fault', async () => {
  const listener = afterFirst(() => {
    server.closeAllConnections()
    server.close()
  })
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const reasons: string[] = []
  for await (const result of testServer(petsContract, {
    url: `http://127.0.0.1:${String(port)}`,
    seed: 1,
    seconds: 6,
  })) {
    if (result.verdict === 'left out') reasons.push(result.reason)
  }
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
