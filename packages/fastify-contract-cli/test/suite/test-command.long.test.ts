import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import type { WireRequest } from '../../src/suite.ts'
import { curlOf } from '../../src/test/curl.ts'
import { runTest } from '../../src/test/test-command.ts'
import { petsDocument } from './pets-contract.ts'
import { type Faults, servePets } from './pets-server.ts'

let folder = ''
let contract = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'test-command-'))
  contract = join(folder, 'openapi.json')
  await writeFile(contract, JSON.stringify(petsDocument))
  return () => rm(folder, { recursive: true })
})

async function run(args: string[], faults: Faults = {}): Promise<{ code: number; lines: string[]; url: string }> {
  const { url, close } = await servePets(faults)
  onTestFinished(close)
  const lines: string[] = []
  const code = await runTest(
    args.map((each) => each.replace('URL', url)),
    { line: (text) => lines.push(text), problem: (text) => lines.push(text), progress: () => undefined },
  )
  return { code, lines, url }
}

const known = ['--url', 'URL', '--auth', 'key=k', '--seed', '7']

test(
  'a server that keeps its contract gets a line for each operation and exit code 0',
  { timeout: 60_000 },
  async () => {
    const { code, lines } = await run([contract, ...known])
    expect(code).toBe(0)
    expect(lines.map((line) => line.replaceAll(/\d+/g, '9'))).toEqual([
      'POST /pets               9 ok',
      'GET /pets                9 ok',
      'GET /pets/{petId}        9 ok',
      'PUT /pets/{petId}        9 ok',
      'DELETE /pets/{petId}     9 ok',
      'GET /search              9 ok',
      'POST /pictures           9 ok',
      '9 operations, 9 requests in 9 s: 9 ok, 9 failed; never seen: GET /pets 9',
    ])
  },
)

test('a fault is printed with a request and the options that reproduce it', async () => {
  const faults: Faults = { reply: (reply, { path }) => (path === '/search' ? { status: 204 } : reply) }
  const { code, lines, url } = await run([contract, ...known, '--only', 'GET /search'], faults)
  expect(code).toBe(1)
  expect(lines).toContain('  refuses query/limit that breaks: required → received 204, expected 400')
  expect(lines).toContain(`  curl -X GET ${url}/v1/search -H 'X-Key: k'`)
  expect(lines).toContain('  again: --seed 7 --only "GET /search"')
  expect(lines.at(-1)).toMatch(
    /^1 operations, \d+ requests in \d+ s: .* failed \(\d+ accepted what the contract refuses\)/,
  )
})

test('operations without credentials are skipped with a line that names the option', async () => {
  const { code, lines } = await run([contract, '--url', 'URL', '--only', 'GET /pets'])
  expect(code).toBe(0)
  expect(lines).toContain('left out: GET /pets needs key (--auth key=…)')
})

test('--coverage fails if a declared response was never seen', async () => {
  const { code, lines } = await run([contract, ...known, '--coverage', '--only', 'GET /pets'])
  expect(code).toBe(1)
  expect(lines).toContain('never seen: GET /pets 400')
})

test('--junit writes a report of each case', async () => {
  const faults: Faults = { reply: (reply, { path }) => (path === '/pictures' ? { status: 418 } : reply) }
  const junit = join(folder, 'report.xml')
  await run([contract, ...known, '--only', 'addPicture', '--junit', junit], faults)
  const report = await readFile(junit, 'utf8')
  expect(report).toMatch(
    /^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites>\n<testsuite name="POST \/pictures" tests="4" failures="1"/,
  )
  expect(report).toMatch(/<testcase classname="POST \/pictures" name="[^"]*"><failure message="undeclared status">/)
})

test('--header, --query and --cookie are sent with each request', async () => {
  const seen: string[] = []
  const server = createServer(({ url, headers }, response) => {
    seen.push(`${String(url)} ${String(headers['x-a'])} ${String(headers['cookie'])}`)
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  await run([
    contract,
    '--url',
    url,
    '--seconds',
    '3',
    '--header',
    'X-A: b',
    '--query',
    'c=d',
    '--cookie',
    'e=f',
    '--only',
    'addPicture',
  ])
  expect(new Set(seen.slice(1))).toEqual(new Set(['/v1/pictures?c=d b e=f']))
})

test.each([
  [['FILE'], /give one contract and --url/],
  [['FILE', '--url', 'URL', '--auth', 'other=k'], /--auth: the contract has no security scheme other; it has key/],
  [['FILE', '--url', 'URL', '--auth', 'key'], /--auth must be NAME=VALUE/],
  [['FILE', '--url', 'URL', '--seconds', '0'], /--seconds must be an integer from 1/],
  [['FILE', '--url', 'URL', '--only', 'GET /none'], /the contract has no operation GET \/none/],
  [['FILE', '--url', 'URL', '--auth', 'key=wrong'], /refuses the credentials of key everywhere/],
  [['none.yaml', '--url', 'URL'], /none\.yaml/],
  [['/dev/zero', '--url', 'URL'], /^\/dev\/zero: is not a regular file/],
  [['FILE', '--url', 'http://127.0.0.1:1'], /cannot be reached/],
  [['BROKEN', '--url', 'URL'], /^broken\.yaml:1:/],
])('a run that cannot judge ends with exit code 2 and one line: %j', async (args, problem) => {
  await writeFile(
    join(folder, 'broken.yaml'),
    '{"openapi":"3.1.0","info":{"title":"A","version":"1"},"paths":{"/a":{"get":5}}}',
  )
  const { url, close } = await servePets()
  onTestFinished(close)
  const printed: string[] = []
  const terminal = { line: () => undefined, problem: (line: string) => printed.push(line), progress: () => undefined }
  const names: Record<string, string> = { FILE: contract, URL: url, BROKEN: join(folder, 'broken.yaml') }
  const given = args.map((each) => names[each] ?? each)
  expect(await runTest(given, terminal)).toBe(2)
  expect(printed.join('\n')).toMatch(problem)
  expect(printed).toHaveLength(1)
})

test.each<[string, Partial<WireRequest>]>([
  ['brackets in a query', { url: "/a?b[c]={d}&e='f'" }],
  ['a text with quotes and lines', { body: 'it\'s "a"\nb\n', headers: { 'content-type': 'text/plain' } }],
  ['a text that begins with @', { body: '@file', headers: { 'content-type': 'text/plain' } }],
  ['bytes', { body: Buffer.from([0, 255, 10, 37]), headers: { 'content-type': 'image/png' } }],
  ['a body without a type', { body: '{}' }],
  ['an empty header, and one with quotes', { headers: { 'x-a': '', 'x-b': "it's $HOME" } }],
  ['no content', { body: '' }],
])('the printed curl command sends the same request: %s', async (_name, part) => {
  const request: WireRequest = { method: 'POST', url: '/a', headers: {}, ...part }
  const received: { method: string | undefined; url: string | undefined; headers: object; body: Buffer }[] = []
  const server = createServer((message, response) => {
    void message.toArray().then((chunks: Buffer[]) => {
      const { 'x-a': a, 'x-b': b, 'content-type': type } = message.headers
      const headers = {
        ...(type === undefined ? {} : { 'content-type': type }),
        ...(a === undefined ? {} : { 'x-a': a, 'x-b': b }),
      }
      received.push({ method: message.method, url: message.url, headers, body: Buffer.concat(chunks) })
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  const code = await new Promise((resolve) => {
    spawn('sh', ['-c', curlOf(url, request)], { stdio: 'ignore' }).on('close', resolve)
  })
  expect(code).toBe(0)
  expect(received).toEqual([{ ...request, body: Buffer.from(request.body ?? '') }])
})
