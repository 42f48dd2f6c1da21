import type { ServerResponse } from 'node:http'
import { documentOf, sealContract } from 'fastify-contract/document'
import { expect, onTestFinished, test } from 'vitest'
import { createMock } from '../../src/mock.ts'
import { readCheckedContract } from '../../src/model/read-contract.ts'
import { contractTexts } from '../../src/generate/write-contract.ts'
import { type SuiteOptions, readContract, test as testServer } from '../../src/suite.ts'
import { contractOf } from '../contracts.ts'
import { listen } from './run-test.ts'

const pet = { type: 'object', required: ['id'], properties: { id: { type: 'integer', format: 'int64' } } }
const text = { type: 'string' }
const event = {
  type: 'object',
  required: ['data'],
  properties: {
    event: text,
    retry: { type: 'integer', maximum: 1_000 },
    data: { ...text, contentMediaType: 'application/json', contentSchema: pet },
  },
}

/** A contract of one operation, a stream. */
async function streamOf(type: string, itemSchema: object, more: object = {}) {
  const content = { [type]: { itemSchema, ...more } }
  const watch = { operationId: 'watch', security: [], responses: { 200: { description: 'Items.', content } } }
  const document = contractOf({ '/items': { get: watch } })
  const read = await readCheckedContract(Buffer.from(JSON.stringify(document)), 'openapi.json')
  return sealContract(contractTexts(read))
}

async function resultsOf(contract: Awaited<ReturnType<typeof streamOf>>, options: Pick<SuiteOptions, 'app' | 'url'>) {
  const verdicts: string[] = []
  for await (const result of testServer(readContract(documentOf(contract)), { seed: 1, scale: 0.05, ...options })) {
    verdicts.push(...('faults' in result ? result.faults.map(({ problem }) => problem) : [result.verdict]))
  }
  return verdicts
}

test.each([
  ['application/jsonl', pet, '{"id":1}\n{"id":1}\n{"id":1}\n'],
  ['application/json-seq', { const: 'a' }, '\u001e"a"\n\u001e"a"\n\u001e"a"\n'],
  ['text/event-stream', event, /^(?:event: \w+\nretry: \d+\ndata: \{"id":\d+\}\n\n){3}$/],
])('a mock sends three items of %s, and its tests pass', async (type, itemSchema, expected) => {
  const contract = await streamOf(type, itemSchema)
  const app = await createMock(contract, { docs: false })
  onTestFinished(() => app.close())
  const { statusCode, body } = await app.inject('/items')
  expect(statusCode).toBe(200)
  if (expected instanceof RegExp) expect(body).toMatch(expected)
  else expect(body.split('\n')).toHaveLength(4)
  for (const options of [{ app }, { url: await app.listen({ port: 0 }) }])
    expect(new Set(await resultsOf(contract, options))).toEqual(new Set(['ok']))
})

test('a mock sends the items of an example', async () => {
  const contract = await streamOf('application/jsonl', pet, { example: [{ id: 54 }, { id: 55 }] })
  const app = await createMock(contract, { docs: false })
  onTestFinished(() => app.close())
  expect((await app.inject('/items')).body).toBe('{"id":54}\n{"id":55}\n')
})

/** Sends some text, and then the same again and again. */
const endless = (text: string) => (response: ServerResponse) => {
  const timer = setInterval(() => response.write(text), 5)
  response.once('close', () => {
    clearInterval(timer)
  })
}

const flushHeaders = (response: ServerResponse) => {
  response.flushHeaders()
}

test.each<[string, string, object, string | ((response: ServerResponse) => void), string]>([
  ['three right items of many', 'application/jsonl', pet, endless('{"id":1}\n'), 'ok'],
  ['no items for long', 'application/jsonl', pet, flushHeaders, 'ok'],
  [
    'comments and other line breaks',
    'text/event-stream',
    event,
    ':\r\rretry: 5\r\ndata: {\ndata:"id":1}\r\n\r\n',
    'ok',
  ],
  ['an item that is cut off at the end', 'text/event-stream', event, 'data: {"id":1}\n\ndata: {"id', 'ok'],
  ['several separators', 'application/json-seq', pet, '\u001e\u001e{"id":1}\n', 'ok'],
  ['a wrong item', 'application/jsonl', pet, '{"id":1}\n{"id":"a"}\n', 'item 2 id must be'],
  ['a wrong item of events', 'text/event-stream', event, 'retry: 2000\ndata: {"id":1}\n\n', 'item 1 retry must be'],
  ['data that is no JSON', 'text/event-stream', event, 'data: a\n\n', 'the body is not JSON'],
  ['text before the first item', 'application/json-seq', pet, '{"id":1}\n', 'the body is not JSON'],
])(
  'a server that sends %s is judged',
  async (_what, type, itemSchema, body, expected) => {
    const url = await listen((_request, response) => {
      response.setHeader('content-type', type)
      if (typeof body === 'string') response.write(body, () => response.end())
      else body(response)
    })
    const results = await resultsOf(await streamOf(type, itemSchema), { url })
    expect(
      results.some((result) => result.includes(expected)),
      results.join('\n'),
    ).toBe(true)
    if (expected === 'ok') expect(new Set(results)).toEqual(new Set(['ok']))
  },
  20_000,
)

test('an item without an end is read up to the limit of a response', async () => {
  const contract = await streamOf('application/jsonl', pet)
  const headers = { 'content-type': 'application/jsonl' }
  const megabyte = Buffer.alloc(1_000_000, 'x')
  const app = () => {
    const endless = new ReadableStream({
      pull: (controller) => {
        controller.enqueue(megabyte)
      },
    })
    return new Response(endless, { headers })
  }
  expect(await resultsOf(contract, { app })).toContainEqual(
    expect.stringContaining('the response is longer than 10000000 bytes'),
  )
})
