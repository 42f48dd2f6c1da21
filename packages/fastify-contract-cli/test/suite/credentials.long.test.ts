import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { contractOf, json } from '../contracts.ts'
import { answer, runTestOf } from './run-test.ts'

const responses = { 204: { description: 'Done.' }, 401: { description: 'Who?' } }
const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer' },
  login: { type: 'http', scheme: 'basic' },
  key: { type: 'apiKey', in: 'header', name: 'X-Key' },
  app: { type: 'apiKey', in: 'query', name: 'app' },
  session: { type: 'apiKey', in: 'cookie', name: 'sid' },
  oauth: { type: 'oauth2', flows: {} },
}
type Scheme = keyof typeof securitySchemes
type Alternatives = Partial<Record<Scheme, []>>[]

const given = { bearer: 't', login: 'me:pw', key: 'k', app: 'a', session: 's', oauth: 'o' }
const right: Record<Scheme, string> = {
  ...given,
  bearer: 'Bearer t',
  oauth: 'Bearer o',
  login: `Basic ${btoa(given.login)}`,
}
const authOf = (...schemes: Scheme[]) => schemes.flatMap((name) => ['--auth', `${name}=${given[name]}`])

/** What a request has for a scheme. */
function sentFor(name: Scheme, { headers, url = '' }: IncomingMessage): string {
  if (name === 'app') return new URL(url, 'http://localhost').searchParams.get('app') ?? ''
  if (name === 'session') return /^sid=(.*)$/.exec(headers.cookie ?? '')?.[1] ?? ''
  return String(headers[name === 'key' ? 'x-key' : 'authorization'] ?? '')
}

type Accepts = (name: Scheme, sent: string) => boolean
const exactly: Accepts = (name, sent) => sent === right[name]
/** Accepts whatever looks like the credentials of a scheme. */
const any =
  (open: Scheme): Accepts =>
  (name, sent) =>
    name === open ? sent.startsWith(right[name].replace(/(?<= ).*|^\w$/, '')) && sent !== '' : exactly(name, sent)

/** Tests a server of one operation. @returns the report, without what is never seen */
async function run(security: Alternatives, accepts: Accepts, args: string[]) {
  const seen: IncomingMessage[] = []
  const url = await answer((request) => {
    seen.push(request)
    const has = (requirement: object) => Object.keys(requirement).every((name) => isRight(name as Scheme))
    const isRight = (name: Scheme) => accepts(name, sentFor(name, request))
    return security.some(has) ? [204] : [401]
  })
  const get = { operationId: 'getThing', security, responses }
  const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }]
  const document = contractOf({ '/things/{id}': { parameters, get } }, { components: { securitySchemes } })
  const { code, lines } = await runTestOf(document, ['--url', url, '--seed', '1', ...args])
  const reports = lines.filter((line) => line.includes(' → '))
  return { code, lines, reports: reports.map((line) => line.trim().replace(/ → .*/, '')), seen }
}

test.each<[Alternatives, string[]]>([
  [[{ bearer: [] }, { key: [] }], authOf('bearer', 'key')],
  [[{ key: [] }, { bearer: [] }], authOf('bearer', 'key')],
  [[{ key: [] }, { bearer: [] }], authOf('key')],
  [[{ key: [], app: [] }, { login: [] }, { bearer: [], key: [] }], authOf('key', 'app', 'login')],
  [[{ key: [] }, { key: [], app: [] }], authOf('key', 'app')],
  [[{ key: [] }, {}], authOf('key')],
  [[], authOf('key')],
])('the suite finds nothing in a server that verifies %j', async (security, args) => {
  const { reports, lines } = await run(security.length === 0 ? [{}] : security, exactly, args)
  expect(reports).toEqual([])
  expect(lines.filter((line) => line.includes('note:'))).toEqual([])
})

test.each<[string, Alternatives, Accepts, string[], string]>([
  [
    'the second of two',
    [{ bearer: [] }, { key: [] }],
    any('key'),
    authOf('bearer', 'key'),
    'refuses unknown credentials of key',
  ],
  [
    'one of two that look alike',
    [{ bearer: [] }, { oauth: [] }],
    any('oauth'),
    authOf('bearer', 'oauth'),
    'refuses unknown credentials of bearer or oauth',
  ],
  [
    'an alternative without known credentials',
    [{ bearer: [] }, { login: [] }],
    any('login'),
    authOf('bearer'),
    'refuses unknown credentials of login',
  ],
  [
    'a part of an alternative',
    [{ key: [], app: [] }],
    any('app'),
    authOf('key', 'app'),
    'refuses unknown credentials of app beside those of key',
  ],
  [
    'a part that may be missing',
    [{ key: [], app: [] }],
    (name, sent) => (name === 'app' ? ['', 'a'].includes(sent) : exactly(name, sent)),
    authOf('key', 'app'),
    'refuses credentials of key without those of app',
  ],
])('the suite finds that a server accepts any credentials of %s', async (_name, security, accepts, args, report) => {
  const { code, reports } = await run(security, accepts, args)
  expect([code, reports]).toEqual([1, [report]])
})

test('an alternative without known credentials is left out by its name', async () => {
  const { code, lines } = await run([{ bearer: [] }, { key: [], app: [] }], exactly, authOf('bearer', 'key'))
  expect(lines).toContain('left out: GET /things/{id}: not tried with the credentials of key and app (--auth app=…)')
  expect(code).toBe(0)
})

test('an alternative that a server refuses is not tested', async () => {
  const refuses: Accepts = (name, sent) => name !== 'key' && exactly(name, sent)
  const { code, lines } = await run([{ bearer: [] }, { key: [] }], refuses, authOf('bearer', 'key'))
  expect(lines).toContain('left out: GET /things/{id}: every request with the credentials of key got 401; check them')
  expect(code).toBe(2)
})

test('requests with wrong credentials are plain otherwise', async () => {
  const { seen } = await run([{ key: [] }], exactly, authOf('key'))
  const wrong = seen.filter(({ headers, url }) => url !== '/' && headers['x-key'] !== 'k')
  expect(new Set(wrong.map(({ url }) => url))).toEqual(new Set(['/things/text']))
})

test.each<[Scheme, string[]]>([
  ['key', ['--header', 'x-key: k']],
  ['bearer', ['--header', 'authorization: bearer t']],
  ['login', ['--header', `Authorization: ${right.login}`]],
  ['app', ['--query', 'app=a']],
  ['session', ['--cookie', 'sid=s']],
])('credentials of %s count that each request has', async (scheme, args) => {
  const isKnown: Accepts = (name, sent) => sent.toLowerCase() === right[name].toLowerCase()
  const both: Alternatives = [{ [scheme]: [] }, { [scheme === 'key' ? 'app' : 'key']: [] }]
  const kept = await run(both, isKnown, args)
  expect([kept.code, kept.reports]).toEqual([0, []])
  const sent = kept.seen.map(({ rawHeaders }) => rawHeaders.filter((name) => /^(?:x-key|authorization)$/i.test(name)))
  expect(Math.max(...sent.map(({ length }) => length))).toBeLessThan(2)
  const broken = await run(both, (name, text) => (name === scheme && text === '') || isKnown(name, text), args)
  expect(broken.reports).toContain('refuses no credentials')
})

test('a deletion without credentials is tried before nothing is left to delete', async () => {
  const things = new Set<string>()
  const url = await answer(({ method, url: path = '' }) => {
    const id = path.slice('/things/'.length)
    if (method === 'POST') {
      things.add(String(things.size))
      return [201, JSON.stringify({ id: String(things.size - 1) }), 'application/json']
    }
    return [things.delete(id) ? 204 : 404]
  })
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }
  const created = { 201: { description: 'Added.', content: json({ type: 'object' }) } }
  const deleted = { ...responses, 404: { description: 'Nothing.' } }
  const document = contractOf(
    {
      '/things': { post: { operationId: 'addThing', security: [], responses: created } },
      '/things/{id}': {
        delete: { operationId: 'dropThing', parameters: [id], security: [{ key: [] }], responses: deleted },
      },
    },
    { components: { securitySchemes } },
  )
  const { lines } = await runTestOf(document, ['--url', url, '--seed', '1', ...authOf('key')])
  expect(lines).toContainEqual(expect.stringMatching(/^  refuses no credentials → received 204, expected 401$/))
})

test('a creation with unknown credentials is tried before all is created, and says nothing afterwards', async () => {
  let isThere = false
  const url = await answer(({ method, headers }) => {
    if (headers['x-key'] === undefined) return [401]
    if (method === 'GET') return [headers['x-key'] === given.key ? 204 : 401]
    const status = isThere ? 409 : 204
    isThere = true
    return [status]
  })
  const security = [{ key: [] }]
  const requestBody = { required: true, content: json({ type: 'object', properties: { id: { const: 'a' } } }) }
  const get = { operationId: 'getThings', security, responses }
  const post = { operationId: 'addThing', security, requestBody, responses }
  const document = contractOf({ '/things': { get, post } }, { components: { securitySchemes } })
  const args = ['--url', url, '--seed', '1', ...authOf('key')]
  expect((await runTestOf(document, args)).lines).toContain(
    '  refuses unknown credentials of key → received 204, expected 401',
  )
  const again = await runTestOf(document, args)
  expect(again.lines).toContain(
    'left out: POST /things: what a request without the right credentials could create is there already',
  )
})
