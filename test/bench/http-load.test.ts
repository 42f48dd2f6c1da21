import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { type LoadJob, load } from '../../scripts/measure/load/http-load.ts'

async function listen(answer: RequestListener): Promise<number> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  // A server that listens at a port has an address of this kind.
  return (server.address() as AddressInfo).port
}

function job(port: number, rest: Partial<LoadJob> = {}): LoadJob {
  return {
    port,
    token: 'token',
    operation: { kind: 'list', path: '/plants' },
    connections: 3,
    maxRequests: 30,
    maxMilliseconds: 10_000,
    ...rest,
  }
}

test('an answer that arrives in pieces is counted once, with the length of its body', async () => {
  const port = await listen((_request, response) => {
    response.writeHead(200, { 'content-length': 100_000 }).write('a'.repeat(60_000))
    void nextTurn().then(() => response.end('b'.repeat(40_000)))
  })
  expect(await load(job(port))).toMatchObject({ requests: 30, statuses: { 200: 30 }, firstBodyBytes: 100_000 })
})

test('a chunked answer ends with its last chunk', async () => {
  const port = await listen((_request, response) => {
    response.write('[1')
    void nextTurn().then(() => response.end(',2]'))
  })
  expect(await load(job(port))).toMatchObject({ requests: 30, statuses: { 200: 30 } })
})

test('every answer is counted under its status, with and without a body', async () => {
  let answers = 0
  const port = await listen((_request, response) => {
    if (answers++ % 2 === 0) response.writeHead(204).end()
    else response.writeHead(404, { 'content-length': 2 }).end('{}')
  })
  expect(await load(job(port, { connections: 1 }))).toMatchObject({ statuses: { 204: 15, 404: 15 } })
})

test.each([
  { scatterOver: undefined, first: 7 },
  { scatterOver: 10, first: 0 },
])(
  'no id is created twice, and none is a multiple of 1,000 when they are scattered ($scatterOver)',
  async ({ scatterOver, first }) => {
    const ids: number[] = []
    const port = await listen((request, response) => {
      request.on('data', (body: Buffer) => ids.push((JSON.parse(body.toString()) as { id: number }).id))
      request.on('end', () => response.end('{}'))
    })
    await load(job(port, { operation: { kind: 'create', ids: { first, scatterOver } } }))
    expect(new Set(ids).size).toBe(30)
    if (scatterOver === undefined)
      expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, index) => first + index))
    else expect(ids.every((id) => id % 1_000 !== 0 && id < 10_000)).toBe(true)
  },
)

test('a server that closes a connection before it answers fails the load', async () => {
  const port = await listen((_request, response) => {
    response.socket?.end()
  })
  await expect(load(job(port))).rejects.toThrow('closed the connection')
})
