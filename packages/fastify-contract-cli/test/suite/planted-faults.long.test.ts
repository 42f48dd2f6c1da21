import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { contractOf, json } from '../contracts.ts'
import { answer, runTestOf } from './run-test.ts'

const text = { type: 'string' }
const payment = {
  type: 'object',
  required: ['amount'],
  properties: {
    amount: { type: 'number', multipleOf: 0.01, minimum: 0.01, maximum: 1_000_000 },
    currency: { enum: ['EUR', 'USD', 'JPY'] },
    memo: { ...text, maxLength: 40 },
  },
}
const file = { ...text, format: 'binary', maxLength: 8 }
const form = { type: 'object', required: ['file'], properties: { file } }
const parameter = (place: string, name: string, schema: object, required = true) => {
  return { in: place, name, schema, required }
}
const responses = { 204: { description: 'Done.' }, 400: { description: 'Wrong.' } }
const body = (content: object) => ({ requestBody: { required: true, content }, responses })
/** No text is known that is so long and has one point. */
const unknown = { ...text, pattern: '^[a-z]+\\.[a-z]+$', minLength: 400 }
const contract = contractOf(
  {
    '/payments': {
      post: {
        operationId: 'pay',
        security: [{ bearer: [] }, { key: [] }],
        ...body(json(payment)),
        responses: { ...responses, 401: { description: 'Who?' } },
      },
    },
    '/trees': { put: { operationId: 'plant', ...body(json({ $ref: '#/components/schemas/Tree' })) } },
    '/größe/{art}': {
      get: { operationId: 'size', parameters: [parameter('path', 'art', { enum: ['klein', 'groß'] })], responses },
    },
    '/offers': {
      get: {
        operationId: 'offers',
        parameters: [
          parameter('cookie', 'discount', { enum: ['5%', 'none'] }),
          parameter('query', 'limit', { type: 'integer', minimum: 1, maximum: 9 }),
          parameter('query', 'code', unknown, false),
        ],
        responses,
      },
    },
    '/files': { post: { operationId: 'store', ...body({ 'multipart/form-data': { schema: form } }) } },
    '/admin/shutdown': { post: { operationId: 'stop', responses } },
  },
  {
    security: [],
    components: {
      schemas: { Tree: { type: 'object', additionalProperties: { $ref: '#/components/schemas/Tree' } } },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        key: { type: 'apiKey', in: 'header', name: 'X-Key' },
      },
    },
  },
)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What is wrong with a server, on purpose. */
type Fault =
  | 'accepts any key'
  | 'fails for a currency'
  | 'fails for a memo and takes any currency'
  | 'has no maximum'
  | 'has no cents'
  | 'takes trees for leaves'
  | 'has any path'
  | 'fails for a cookie with %'
  | 'has no limit'
  | 'stores long files'

/** Replies as the contract says, by hand, but for a fault. @returns the status */
function statusOf({ method, url = '', headers }: IncomingMessage, content: Buffer, fault?: Fault): number {
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  const path = decodeURIComponent(pathname)
  const [, type] = /^(application\/json|multipart\/form-data)(?:$|;)/.exec(headers['content-type'] ?? '') ?? []
  if (path === '/payments' && method === 'POST') {
    const key = headers['x-key']
    const isKnown = key === 'k' || (fault === 'accepts any key' && key !== undefined)
    if (!isKnown && headers.authorization?.toLowerCase() !== 'bearer t') return 401
    return statusOfPayment(type === 'application/json' ? parsed(content) : undefined, fault)
  }
  if (path === '/trees' && method === 'PUT') {
    const isTree = (value: unknown): boolean =>
      isObject(value) && (fault === 'takes trees for leaves' || Object.values(value).every(isTree))
    return type === 'application/json' && isTree(parsed(content)) ? 204 : 400
  }
  if (path.startsWith('/größe/')) return fault === 'has any path' || /\/(?:klein|groß)$/.test(path) ? 204 : 400
  if (path === '/offers' && method === 'GET') {
    const discount = decodeURIComponent(/^discount=([^;]*)$/.exec(headers.cookie ?? '')?.[1] ?? '')
    if (discount === '5%' && fault === 'fails for a cookie with %') return 500
    const isLimit = (fault === 'has no limit' ? /^[1-9]\d*$/ : /^[1-9]$/).test(searchParams.get('limit') ?? '')
    const isCode = /^(?:|(?=.{400})[a-z]+\.[a-z]+)$/.test(searchParams.get('code') ?? '')
    return ['5%', 'none'].includes(discount) && isLimit && isCode ? 204 : 400
  }
  if (path === '/files' && method === 'POST' && type === 'multipart/form-data') {
    const [, stored] = /name="file"[^]*?\r\n\r\n([^]*)\r\n--.*--\r\n$/.exec(content.toString('latin1')) ?? []
    return stored !== undefined && (stored.length <= 8 || fault === 'stores long files') ? 204 : 400
  }
  return 400
}

function parsed(content: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)) as unknown
  } catch {
    return undefined
  }
}

function statusOfPayment(value: unknown, fault: Fault | undefined): number {
  if (!isObject(value)) return 400
  const { amount, currency = 'EUR', memo = '' } = value
  const isFree = fault === 'fails for a memo and takes any currency'
  if (typeof amount !== 'number' || amount < 0.01) return 400
  if (amount > 1_000_000 && fault !== 'has no maximum') return 400
  if (Number(amount.toFixed(2)) !== amount && fault !== 'has no cents') return 400
  if (!['EUR', 'USD', 'JPY'].includes(String(currency)) && !isFree) return 400
  if (typeof memo !== 'string' || Array.from(memo).length > 40) return 400
  return (isFree && 'memo' in value) || (fault === 'fails for a currency' && currency === 'JPY') ? 500 : 204
}

/** Tests the server. @returns the reports, each with its line of curl */
async function run(fault: Fault | undefined, ...args: string[]) {
  const seen = new Set<string>()
  const url = await answer((request, content) => {
    seen.add(String(request.url))
    return [statusOf(request, content, fault)]
  })
  const auth = ['--auth', 'bearer=t', '--auth', 'key=k']
  const { code, lines } = await runTestOf(contract, ['--url', url, ...auth, ...args])
  const reports = lines.flatMap((line, at) => (line.includes(' → ') ? [`${line} ${String(lines[at + 1])}`] : []))
  return { code, reports, seen, leftOut: lines.filter((line) => line.startsWith('left out: ')) }
}

test.each(['1', '2'])('the suite finds no fault in a server without one (seed %s)', async (seed) => {
  const { code, reports, seen, leftOut } = await run(undefined, '--seed', seed)
  expect([code, reports]).toEqual([0, []])
  expect(leftOut).toEqual([
    expect.stringMatching(/^left out: POST \/admin\/shutdown: by its name it may stop the server/),
    expect.stringMatching(/^left out: GET \/offers: query\/code: no value is found/),
  ])
  expect(seen).not.toContain('/admin/shutdown')
})

test.each<[Fault, operation: string, ...reports: RegExp[]]>([
  ['accepts any key', 'pay', /refuses unknown credentials of key → .*'X-Key: unknown'/],
  ['fails for a currency', 'pay', /accepts valid requests .*→ .* 500.*-d '\{"amount":0.01,"currency":"JPY"\}'$/],
  [
    'fails for a memo and takes any currency',
    'pay',
    /accepts valid requests .*→ .* 500.*-d '\{"amount":0.01,"memo":"\w*"\}'$/,
    /refuses body\/currency that breaks: enum → .*-d '\{"amount":0.01,"currency":[^,]*\}'$/,
  ],
  ['has no maximum', 'pay', /body\/amount that breaks: maximum → .*-d '\{"amount":1000000.01\}'$/],
  // The minimum is kept.
  ['has no cents', 'pay', /body\/amount that breaks: multipleOf → .*-d '\{"amount":0.011\}'$/],
  ['takes trees for leaves', 'plant', /refuses body that breaks: additionalProperties → /],
  ['has any path', 'size', /refuses path\/art that breaks: enum → .*\/gr%C3%B6%C3%9Fe\/a /],
  ['fails for a cookie with %', 'offers', /accepts valid requests .*→ .* 500.*'cookie: discount=5%25' /],
  ['has no limit', 'offers', /refuses query\/limit that breaks: maximum → .*\?limit=10'? /],
  ['stores long files', 'store', /refuses body\/file that breaks: maxLength → /],
])('the suite names a server that %s', async (fault, operation, ...expected) => {
  const { code, reports } = await run(fault, '--seed', '1', '--only', operation)
  expect([code, reports]).toEqual([1, expected.map((each) => expect.stringMatching(each) as string)])
})
