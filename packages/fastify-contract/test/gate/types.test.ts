import { execFile } from 'node:child_process'
import { copyFile, readFile, symlink, writeFile } from 'node:fs/promises'
import { type IncomingMessage, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type ClientContract, type ClientOptions, createClient } from 'fastify-contract/client'
import { expect, onTestFinished, test } from 'vitest'
import { type ContractDocument, operationsOf } from '../../src/document/document.ts'
import { Places, readYaml } from '../../src/gate/check/read-yaml.ts'
import { writeClient } from '../../src/gate/generate/write-client.ts'
import { writeTypes } from '../../src/gate/generate/write-types.ts'
import { folderWith } from './contracts.ts'

const project = join(import.meta.dirname, '../../../..')

/** A project of its own for openapi.yaml of this folder: its types, its client, and the proof that uses them. */
async function generateProject(): Promise<string> {
  const source = await readFile(join(import.meta.dirname, 'openapi.yaml'))
  // Its references are in schemas alone, and those stay.
  const document = readYaml(source, 'openapi.yaml', new Places()) as unknown as ContractDocument
  const operations = operationsOf(document)
  const root = await folderWith({
    'package.json': '{ "type": "module" }',
    'generated/openapi.ts': writeTypes(document, operations),
    'generated/client.ts': writeClient(document, operations),
  })
  await symlink(join(project, 'node_modules'), join(root, 'node_modules'))
  return root
}

/** An answer of a server, whatever the request. */
interface Answer {
  status: number
  type?: string
  body?: string
}

/** Serves one answer, and keeps what arrived. */
async function serve({ status, type, body }: Answer) {
  const requests: { url: string | undefined; headers: IncomingMessage['headers']; body: string }[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      requests.push({ url: request.url, headers: request.headers, body: Buffer.concat(chunks).toString() })
      response.writeHead(status, type === undefined ? {} : { 'content-type': type }).end(body)
    })
  })
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has an address with one.
  return { requests, baseUrl: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1` }
}

/** The client of openapi.yaml, whose types the proof compiles; here any operation takes any request. */
type AnyClient = Record<string, (request?: object) => Promise<Record<string, unknown>>>

async function connect(root: string, answer: Answer) {
  const { baseUrl, requests } = await serve(answer)
  // The module is generated, so that the compiler does not know it.
  const contract = (await import(join(root, 'generated/client.ts'))) as ClientContract
  return { client: createClient(contract, { baseUrl } as ClientOptions<ClientContract>) as AnyClient, requests }
}

test('the types obey the keywords of the contract', { timeout: 60_000 }, async () => {
  const root = await generateProject()
  await copyFile(join(import.meta.dirname, 'types.proof.ts'), join(root, 'types.proof.ts'))
  const settings = { extends: join(project, 'tsconfig.json'), include: [], files: ['types.proof.ts'] }
  await writeFile(join(root, 'tsconfig.json'), JSON.stringify(settings))
  const compiler = join(project, 'node_modules/typescript-7/bin/tsc')
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', root]).catch(
    (error: unknown) => error as { stdout: string },
  )
  expect(stdout).toBe('')
})

test('the client sends parameters and a body as the contract declares them', async () => {
  const root = await generateProject()
  const { client, requests } = await connect(root, { status: 200, type: 'application/json', body: '[]' })
  await client['items.list']?.({
    query: { ids: [1n, 2n], tags: ['a', 'b'], words: ['a b', 'c'], pipes: ['a|b', 'c'], page: 0 },
    header: { 'X-Marks': ['a', 'b'] },
  })
  expect(requests[0]?.url).toBe('/v1/items?ids=1,2&tags=a&tags=b&words=a%20b%20c&pipes=a%7Cb%7Cc&page=0')
  expect(requests[0]?.headers['x-marks']).toBe('a,b')
  expect(requests[0]?.headers.authorization).toBeUndefined()

  const posted = await connect(root, { status: 404, type: 'text/plain; charset=utf-8', body: 'gone' })
  expect(await posted.client['create-item']?.({ body: { name: 'a', level: 9007199254740993n } })).toMatchObject({
    status: 404,
    contentType: 'text/plain',
    body: 'gone',
  })
  expect(posted.requests[0]).toMatchObject({
    headers: { 'content-type': 'application/vnd.item+json' },
    body: '{"name":"a","level":9007199254740993}',
  })

  const csv = await connect(root, { status: 200, type: 'text/csv', body: 'a,b' })
  expect(await csv.client['toString']?.({ path: { path: ['a,b', 'c/d'] }, accept: 'text/csv' })).toMatchObject({
    body: 'a,b',
  })
  expect(csv.requests[0]).toMatchObject({ url: '/v1/items/a%2Cb,c%2Fd', headers: { accept: 'text/csv' } })
})

test('the client reads a body as its media type and its schema say', async () => {
  const root = await generateProject()
  const call = async (answer: Answer) => {
    const { client } = await connect(root, answer)
    return client['toString']?.({ path: { path: ['a'] } })
  }
  const report = '{"share":100000000000000000,"nodes":[{"weight":1,"next":{"weight":2}}],"byName":{"n":3,"m":4}}'
  expect(await call({ status: 200, type: 'Application/JSON; charset=utf-8', body: report })).toMatchObject({
    contentType: 'application/json',
    body: { share: 1e17, nodes: [{ weight: 1n, next: { weight: 2n } }], byName: { n: 3n, m: 4 } },
  })
  expect((await call({ status: 200, type: 'application/pdf', body: '%PDF' }))?.['body']).toEqual(
    new TextEncoder().encode('%PDF'),
  )
  expect(await call({ status: 204 })).toMatchObject({ status: 204, body: undefined })
  await expect(call({ status: 200, type: 'text/html', body: '<p>' })).rejects.toThrow('does not declare')
})

test('the client takes a status for the most exact response that the contract declares', async () => {
  const root = await generateProject()
  const call = async (answer: Answer) => {
    const { client } = await connect(root, answer)
    return client['create-item']?.({ body: {} })
  }
  const item = '{"id":1,"totals":{"a":2},"parts":[{"id":4}],"size":5,"count":6}'
  expect((await call({ status: 201, type: 'application/json', body: item }))?.['body']).toEqual({
    id: 1n,
    totals: { a: 2n },
    parts: [{ id: 4n }],
    size: 5,
    count: 6n,
  })
  expect(await call({ status: 409, type: 'application/json', body: '{"refused":"a"}' })).toMatchObject({
    status: 409,
    body: { refused: 'a' },
  })
  expect(await call({ status: 503, type: 'application/problem+json', body: '{"failed":"a"}' })).toMatchObject({
    status: 503,
    body: { failed: 'a' },
  })
  const text = { type: 'text/plain', body: 'gone' }
  await expect(call({ status: 409, ...text })).rejects.toThrow('does not declare')
  await expect(call({ status: 499, type: 'application/json', body: '{"refused":"a"}' })).rejects.toThrow(
    'answered with 499',
  )
})
