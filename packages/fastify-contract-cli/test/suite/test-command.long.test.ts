import { execFile, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { printable } from 'fastify-contract/json'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type WireRequest, connectTo } from '../../src/suite.ts'
import { curlOf } from '../../src/commands/test/curl.ts'
import { folderWith } from '../contracts.ts'
import { type Faults, servePets } from './pets-server.ts'
import { answer, listen, runTest } from './run-test.ts'

const contract = join(import.meta.dirname, 'pets.yaml')

async function run(args: string[], faults: Faults = {}): Promise<{ code: number; lines: string[]; url: string }> {
  const url = await servePets(faults)
  const printed = await runTest(
    import.meta.dirname,
    args.map((each) => each.replace('URL', url)),
  )
  return { ...printed, url }
}

const known = ['--url', 'URL', '--auth', 'key=k', '--seed', '7']

test('a server that keeps its contract gets a line for each operation and exit code 0', async () => {
  const { code, lines } = await run([contract, ...known])
  expect(code).toBe(0)
  expect(lines.map((line) => line.replaceAll(/\d+/g, '9'))).toEqual([
    'POST /pets               9 ok',
    'GET /pets                9 ok',
    'GET /pets/{petId}        9 ok',
    'PUT /pets/{petId}        9 ok',
    'GET /search              9 ok',
    'POST /pictures           9 ok',
    'DELETE /pets/{petId}     9 ok',
    '9 operations, 9 requests in 9 s: 9 ok, 9 failed; never seen: GET /pets 9',
  ])
})

test('a fault is printed with a request and the options that reproduce it', async () => {
  const faults: Faults = { reply: (reply, { path }) => (path === '/search' ? { status: 204 } : reply) }
  const { code, lines, url } = await run([contract, ...known, '--only', 'GET /search'], faults)
  expect(code).toBe(1)
  expect(lines).toContainEqual(
    expect.stringMatching(
      /^ {2}refuses query\/\S+ that breaks: required \(and 1 more such test: query\/\S+\) → received 204, expected 400$/,
    ),
  )
  expect(lines.join('\n')).toContain(`\n  curl -X GET '${url}/v1/search?`)
  expect(lines).toContain('before a line of curl, set AUTH_KEY to the value of --auth key')
  expect(lines).toContain('  again: --seed 7 --only "GET /search"')
  expect(lines.at(-1)).toMatch(
    /^1 operation, \d+ requests in \d+ s: .* failed \(\d+ accepted what the contract refuses\)/,
  )
})

const secret = 'tH15-is.secret~0123456789'
const key = { type: 'apiKey', in: 'header', name: 'X-Key' }
test.each<[string, object, string[], held: string, sent: string]>([
  ['a bearer token', { type: 'http', scheme: 'bearer' }, ['--auth', `a=${secret}`], secret, `Bearer ${secret}`],
  ['a token after its word', { type: 'http', scheme: 'bearer' }, ['--auth', `a=Bearer ${secret}`], secret, secret],
  ['a password', { type: 'http', scheme: 'basic' }, ['--auth', `a=me:${secret}`], btoa(`me:${secret}`), 'Basic bWU6'],
  ['a key in a header', key, ['--auth', `a=${secret}`], secret, `x-key: ${secret}`],
  ['a key in the query', { ...key, in: 'query' }, ['--auth', `a=${secret}/`], `${secret}%2F`, `?X-Key=${secret}%2F`],
  ['a key in a cookie', { ...key, in: 'cookie' }, ['--auth', `a=${secret}/`], `${secret}%2F`, `X-Key=${secret}%2F`],
  ['a token of --header', key, ['--header', `Authorization: Bearer ${secret}`], secret, `Bearer ${secret}`],
  ['a header with a random value', key, ['--header', `X-Any: ${secret}`], secret, `x-any: ${secret}`],
  ['a session of --cookie', key, ['--cookie', `sid=${secret}`], secret, `sid=${secret}`],
  ['a token of --query', key, ['--query', `token=${secret}`], secret, `token=${secret}`],
])('%s is never printed, and the printed curl command sends it', async (_name, scheme, args, held, sent) => {
  const responses = { 200: { description: 'Done.', content: { 'application/json': { schema: { type: 'integer' } } } } }
  // The shortest request of a public operation has no credentials of --auth.
  const get = { operationId: 'getA', security: args[0] === '--auth' ? [{ a: [] }] : [], responses }
  const document = { paths: { '/a': { get } }, components: { securitySchemes: { a: scheme } } }
  const contract = { openapi: '3.1.0', info: { title: 'A', version: '1' }, ...document }
  const folder = await folderWith({ 'secret.json': contract })
  const file = join(folder, 'secret.json')
  let seen = ''
  const url = await listen(({ url: target, headers }, response) => {
    seen = [target, ...Object.entries(headers).map((field) => field.join(': '))].join('\n')
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(seen))
  })
  const { code, lines } = await run([file, '--url', url, '--seconds', '3', '--junit', join(folder, 'r.xml'), ...args])
  expect(code).toBe(1)
  const printed = [...lines, await readFile(join(folder, 'r.xml'), 'utf8')].join('\n')
  expect(printed).not.toContain(secret)
  expect(printed).not.toContain(held)
  const [, variable = ''] = /^before a line of curl, set (\S+) to the value of --\w+ \S+/m.exec(printed) ?? []
  const command = lines.find((line) => line.includes(`"$${variable}"`)) ?? ''
  seen = ''
  await promisify(execFile)('sh', ['-c', command], { env: { ...process.env, [variable]: held } })
  expect(seen).toContain(sent)
})

test('the credentials of a second caller are never printed', async () => {
  const args = [contract, ...known, '--auth', 'key=other', '--only', 'POST /pets']
  const { lines } = await run(args, { showsAll: true })
  expect(lines.join('\n')).toMatch(/-H 'X-Key: '"\$AUTH_KEY_2"/)
  expect(lines).toContain('before a line of curl, set AUTH_KEY_2 to the second value of --auth key')
})

test('each secret has a shell variable of its own', async () => {
  const contract = {
    openapi: '3.1.0',
    info: { title: 'A', version: '1' },
    paths: {
      '/a': {
        get: { operationId: 'getA', security: [{ 'a-b': [], aB: [] }], responses: { 200: { description: 'Done.' } } },
      },
    },
    components: { securitySchemes: { 'a-b': key, aB: { ...key, name: 'Y-Key' } } },
  }
  const file = join(await folderWith({ 'two.json': contract }), 'two.json')
  const url = await listen((_request, response) => void response.writeHead(299).end('a'))
  const { lines } = await run([file, '--url', url, '--seconds', '3', '--auth', 'a-b=k', '--auth', 'aB=l'])
  expect(lines.filter((line) => line.startsWith('before a line of curl'))).toEqual([
    'before a line of curl, set AUTH_A_B to the value of --auth a-b',
    'before a line of curl, set AUTH_A_B_2 to the value of --auth aB',
  ])
})

test.each([
  ['--auth', secret],
  ['--auth', `${secret}==`],
  ['--header', `Authorization Bearer ${secret}`],
])('%s is not quoted where it is wrong: %s', async (...args) => {
  const { code, lines } = await run([contract, '--url', 'URL', ...args])
  expect(code).toBe(2)
  expect(lines.join()).not.toContain(secret)
})

test('--coverage fails if a declared response was never seen', async () => {
  const { code, lines } = await run([contract, ...known, '--coverage', '--only', 'GET /pets'])
  expect(code).toBe(1)
  expect(lines).toContain('never seen: GET /pets 400')
})

test('no character of a contract or of a server controls the terminal', async () => {
  const escape = '\u001b[31m\u202e'
  const parameters = [{ name: `a${escape}`, in: 'query', required: true, schema: { type: 'integer' } }]
  const responses = {
    200: { description: 'Done.', headers: { [`X-A${escape}`]: { schema: { type: 'string' } } } },
    400: { description: 'Refused.' },
  }
  const get = { operationId: 'get', summary: escape, tags: [escape], parameters, responses }
  const contract = {
    openapi: '3.1.0',
    info: { title: escape, version: escape },
    paths: { '/a': { get }, '/b': { get: { ...get, operationId: undefined, security: [{ [`key${escape}`]: [] }] } } },
    components: { securitySchemes: { [`key${escape}`]: key } },
  }
  const file = join(await folderWith({ 'hostile.json': contract }), 'hostile.json')
  const url = await listen((_request, response) => {
    response.writeHead(299, 'Fine\u009b', { 'content-type': 'text/html', 'x-b': '\u009b31m' }).end(escape)
  })
  const progress = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const { isTTY, columns } = process.stderr
  Object.assign(process.stderr, { isTTY: true, columns: 80 })
  onTestFinished(() => {
    Object.assign(process.stderr, { isTTY, columns })
    progress.mockRestore()
  })
  const { code, lines } = await run([file, '--url', url, '--coverage', '--seconds', '5'])
  expect(code).toBe(1)
  // Each begins with what clears the line.
  const shown = progress.mock.calls.map(([text]) => String(text).replace(/^\r\u001b\[K/, ''))
  expect(shown.join('')).toContain('\\u{1b}[31m')
  expect(lines.join('')).toContain('\\u{1b}[31m')
  for (const line of [...lines, ...shown]) expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u)
})

test('--junit writes a report of each case', async () => {
  const faults: Faults = { reply: (reply, { path }) => (path === '/pictures' ? { status: 418 } : reply) }
  const junit = join(await folderWith(), 'report.xml')
  await run([contract, ...known, '--only', 'addPicture', '--junit', junit], faults)
  const report = await readFile(junit, 'utf8')
  expect(report).toMatch(
    /^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites>\n<testsuite name="POST \/pictures" tests="4" failures="1"/,
  )
  expect(report).toMatch(/<testcase classname="POST \/pictures" name="[^"]*"><failure message="undeclared status">/)
})

test('--header, --query and --cookie are sent with each request', async () => {
  const seen: string[] = []
  const url = await listen(({ url, headers }, response) => {
    seen.push(`${String(url)} ${String(headers['x-a'])} ${String(headers['cookie'])}`)
    response.writeHead(204).end()
  })
  const sent = ['--header', 'X-A: b', '--query', 'c=d', '--cookie', 'e=f']
  await run([contract, '--url', url, '--seconds', '3', ...sent, '--only', 'addPicture'])
  expect(new Set(seen.slice(1))).toEqual(new Set(['/v1/pictures?c=d b e=f']))
})

test.each([
  [['FILE'], /give one contract and --url/],
  [['FILE', '--url', 'URL', '--auth', 'other=k'], /--auth: the contract has no security scheme other; it has key/],
  [['FILE', '--url', 'URL', '--auth', 'key'], /--auth must be NAME=VALUE/],
  [['FILE', '--url', 'URL', '--seconds', '0'], /--seconds must be an integer from 1/],
  [['FILE', '--url', 'URL', '--path', 'id=1'], /--path: the contract has no path parameter id; it has petId/],
  [['FILE', '--url', 'URL', '--path', 'petId='], /--path: no path has an empty petId/],
  [['FILE', '--url', 'URL', '--only', 'GET /none'], /the contract has no operation GET \/none/],
  [['FILE', '--url', 'URL', '--auth', 'key=wrong'], /every request with the credentials of key got 401/],
  [['none.yaml', '--url', 'URL'], /none\.yaml/],
  [['/dev/zero', '--url', 'URL'], /^\/dev\/zero: is not a regular file/],
  [['FILE', '--url', 'http://me:password@127.0.0.1:1'], /^the URL of the server has credentials, which are not sent/],
  [['FILE', '--url', 'http://127.0.0.1:1'], /cannot be reached: .*ECONNREFUSED/],
  [['FILE', '--url', 'localhost:3000'], /localhost:3000 is not the URL of a server/],
  [['BROKEN', '--url', 'URL'], /^broken\.yaml:1:/],
])('a run that cannot judge ends with exit code 2 and one line: %j', async (args, problem) => {
  const paths = { '/a': { get: 5 } }
  const broken = JSON.stringify({ openapi: '3.1.0', info: { title: 'A', version: '1' }, paths })
  const BROKEN = join(await folderWith({ 'broken.yaml': broken }), 'broken.yaml')
  const names: Record<string, string> = { FILE: contract, BROKEN }
  const { code, lines: printed } = await run(args.map((each) => names[each] ?? each))
  expect(code).toBe(2)
  expect(printed.join('\n')).toMatch(problem)
  expect(printed).toHaveLength(1)
})

test.each<[string, Partial<WireRequest>]>([
  ['brackets in a query', { url: "/a?b[c]={d}&e='f'" }],
  ['a text with quotes and lines', { body: 'it\'s "a"\nb\n', headers: { 'content-type': 'text/plain' } }],
  ['a text that begins with @', { body: '@file', headers: { 'content-type': 'text/plain' } }],
  ['JSON in lines', { body: '{\r\n\t"a": "\\u0009\\n%s"\r\n}', headers: { 'content-type': 'application/json' } }],
  ['a text in lines that begins with -', { body: '-a\tb', headers: { 'content-type': 'text/plain' } }],
  ['bytes', { body: Buffer.from([0, 255, 10, 37]), headers: { 'content-type': 'image/png' } }],
  ['a body without a type', { body: '{}' }],
  ['an empty header, and one with quotes', { headers: { 'x-a': '', 'x-b': "it's $HOME" } }],
  ['no content', { body: '' }],
  ['no body', { headers: { accept: 'text/plain' } }],
  ['no body, of a method without one', { method: 'DELETE' }],
  ['no body of a type', { method: 'PUT', headers: { 'content-type': 'text/plain', 'user-agent': 'a' } }],
  ['a header of spaces, and one that is not ASCII', { headers: { 'x-a': ' ', 'x-b': "\u00e9\t%s\\ '$HOME" } }],
  ['dots in a path', { method: 'GET', url: '/a/../b/%2e%2E/./c' }],
])('the printed curl command sends the same request: %s', async (_name, part) => {
  const request: WireRequest = { method: 'POST', url: '/a', headers: {}, ...part }
  const received: object[] = []
  const url = await answer(({ method, url, headers: { host: _host, connection: _connection, ...headers } }, body) => {
    // curl names itself.
    const { 'user-agent': agent = '', ...others } = headers
    received.push({ method, url, headers: agent.startsWith('curl/') ? others : headers, body })
    return [200]
  })
  const { exchange, close } = connectTo(url)
  onTestFinished(close)
  await exchange(request)
  const code = await new Promise((resolve) => {
    spawn('sh', ['-c', printable(curlOf(url, request))], { stdio: 'ignore' }).on('close', resolve)
  })
  expect(code).toBe(0)
  expect(received).toHaveLength(2)
  expect(received[1]).toEqual(received[0])
  expect(received[0]).toMatchObject({ method: request.method, url: request.url, body: Buffer.from(request.body ?? '') })
})
