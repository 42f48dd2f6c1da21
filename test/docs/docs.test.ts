import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exactExamples } from '../../src/docs/exact-examples.ts'
import { contract, shareApp } from '../support/server/start-app.ts'

const newCaller = shareApp()

const files = [
  { url: '/openapi.yaml', file: 'openapi.yaml', type: 'application/yaml' },
  { url: '/openapi.json', file: 'generated/contract.json', type: 'application/json' },
]

test.each(files)('$url is $file, byte for byte and without a token', async ({ url, file, type }) => {
  const { app } = await newCaller()
  const { statusCode, headers, rawPayload } = await app.inject({ url })
  expect(statusCode).toBe(200)
  expect(headers['content-type']).toBe(type)
  expect(rawPayload.equals(readFileSync(join(import.meta.dirname, '../..', file)))).toBe(true)
})

test.each([
  { url: '/docs/json', exact: '/openapi.json' },
  { url: '/docs/yaml', exact: '/openapi.yaml' },
])('$url leads to the exact text at $exact', async ({ url, exact }) => {
  const { app } = await newCaller()
  const { statusCode, headers } = await app.inject({ url })
  expect({ statusCode, location: headers.location }).toEqual({ statusCode: 302, location: exact })
})

test('the page at /docs loads scripts and styles of this server alone, none of them inline', async () => {
  const { app } = await newCaller()
  const { body } = await app.inject({ url: '/docs' })
  const sources = [...body.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, source]) => source ?? '')
  expect(sources.filter((source) => !source.startsWith('/docs/static/'))).toEqual([])
  expect([...body.matchAll(/<script(?![^>]* src=)/g)]).toEqual([])
  for (const url of sources) expect((await app.inject({ url })).statusCode, url).toBe(200)
})

/** What the page is given to show, once the plugin has been at the contract. */
function shownContract(text: string) {
  let shown = ''
  const plugin = exactExamples({ fn: { getSampleSchema: () => 'generated from doubles' } })
  plugin.statePlugins.spec.wrapActions.parseToJson((changed) => (shown = changed))(text)
  // The text is an OpenAPI document of this test's or of the project's.
  return { document: JSON.parse(shown) as Record<string, unknown>, getSampleSchema: plugin.fn.getSampleSchema }
}

test('the page shows an example with an integer beyond 2^53 as its own text, and leaves others to Swagger UI', () => {
  const examples = '{"far":{"value":{"id":9007199254740993,"name":"a"}},"near":{"value":{"id":54}}}'
  const { document, getSampleSchema } = shownContract(
    `{"content":{"examples":${examples},"example":[-9223372036854775808]}}`,
  )
  const far = '{\n  "id": 9007199254740993,\n  "name": "a"\n}'
  const list = '[\n  -9223372036854775808\n]'
  expect(document).toEqual({
    content: { examples: { far: { value: far }, near: { value: { id: 54 } } }, example: list },
  })
  expect(getSampleSchema({}, 'application/json', {}, far)).toBe(far)
  expect(getSampleSchema({}, 'application/json', {}, { id: 54 })).toBe('generated from doubles')
})

test('a schema for a property named example stays a schema', () => {
  const { document } = shownContract('{"properties":{"example":{"type":"integer","enum":[1,9007199254740993]}}}')
  expect(document).toEqual({ properties: { example: { type: 'integer', enum: [1, '9007199254740993'] } } })
})

test('no integer of the contract is rounded on its way into the page', () => {
  const integers = (text: string) => [...text.matchAll(/(?<![\w.-])-?\d{16,}(?![\w.-])/g)].map(([integer]) => integer)
  const { document } = shownContract(contract.json)
  expect(integers(contract.json)).toContain('9007199254740993')
  expect(integers(JSON.stringify(document))).toEqual(integers(contract.json))
})

test.each([
  ['Range', { range: 'bytes=0-1' }],
  ['a Range that cannot be satisfied', { range: 'bytes=999999999-' }],
  ['If-Match', { 'if-match': '"x"' }],
  ['If-Unmodified-Since', { 'if-unmodified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' }],
  ['If-Range', { range: 'bytes=0-1', 'if-range': '"x"' }],
])('a file of the docs page is sent whole whatever %s says', async (_name, headers) => {
  const { app } = await newCaller()
  for (const url of ['/docs/static/swagger-ui.css', '/docs', '/openapi.json']) {
    const whole = await app.inject({ url })
    const asked = await app.inject({ url, headers })
    expect({ url, status: asked.statusCode }).toEqual({ url, status: 200 })
    expect(asked.rawPayload.equals(whole.rawPayload)).toBe(true)
  }
})

test('a file of the docs page that the client has already is not sent again', async () => {
  const { app } = await newCaller()
  const url = '/docs/static/swagger-ui.css'
  const { headers } = await app.inject({ url })
  for (const tag of [String(headers.etag), `W/${String(headers.etag)}`, `"other", ${String(headers.etag)}`, '*']) {
    const again = await app.inject({ url, headers: { 'if-none-match': tag } })
    expect(again).toMatchObject({ statusCode: 304, body: '' })
    // RFC 9110, section 8.6: a length in it would be that of the file.
    const head = await app.inject({ method: 'HEAD', url, headers: { 'if-none-match': tag } })
    expect(head.statusCode).toBe(304)
    expect(head.headers).not.toHaveProperty('content-length')
  }
  expect((await app.inject({ url, headers: { 'if-none-match': '"other"' } })).statusCode).toBe(200)
})
