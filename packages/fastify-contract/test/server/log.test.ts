import type { FastifyInstance } from 'fastify'
import { fastifyContract, serve as serveContract } from 'fastify-contract'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { bothServers, contractOf, failures, ok, serve } from './support/serve.ts'

const headers = { authorization: 'Bearer me' }
const failing = () => Promise.reject(new Error('a fault\u001b[2J'))
const paths = { '/things': { get: { operationId: 'listThings' } } }

describe.each(bothServers)('on %s', (_kind, isGuest) => {
  test('each line of a request has its id, once', async () => {
    const before = (host: FastifyInstance) => {
      host.addHook('preHandler', (request, _reply, done) => {
        request.log.info('of a hook')
        done()
      })
    }
    const handlers = { listThings: failing, createThing: failing, deleteThing: failing }
    const { app, lines } = await serve({ isGuest, before, handlers })
    const { headers: sent } = await app.inject({ url: '/things', headers })
    const ofRequest = lines().filter(({ msg }) => msg !== 'Server listening')
    expect(ofRequest.map(({ msg }) => msg)).toEqual([
      'incoming request',
      'of a hook',
      'request failed',
      'request completed',
    ])
    for (const line of ofRequest) {
      expect(line).toMatchObject({ reqId: sent['x-request-id'] })
      expect(line).not.toHaveProperty('requestId')
    }
  })
})

test('without loggers of requests, a fault names its request', async () => {
  const handlers = { listThings: failing, createThing: failing, deleteThing: failing }
  const { send, lines } = await serve({ handlers, settings: { requestLoggers: false } })
  const { headers: sent } = await send({ url: '/things' })
  const faults = lines().filter(({ level }) => level === 50)
  // Before 5.7, Fastify does not know the option.
  const ids = faults.map(({ reqId, requestId = reqId }) => requestId)
  expect(ids).toEqual([sent['x-request-id']])
})

describe('a server without a logger', () => {
  /** Sends a request to a handler that fails, and one that is invalid. @returns what was printed, and the request id */
  async function printed(settings: { logger?: false }) {
    const print = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    onTestFinished(() => {
      print.mockRestore()
    })
    const handlers = { listThings: failing }
    const app = await serveContract(contractOf({ paths }), { handlers, ...settings })
    onTestFinished(() => app.close())
    await app.inject('/things?a=b')
    const { headers: sent } = await app.inject('/things')
    return { lines: print.mock.calls.map((call) => call.join(' ')), id: String(sent['x-request-id']) }
  }

  test('prints a fault to standard error, and nothing else', async () => {
    const { lines, id } = await printed({})
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(new RegExp(`^request failed reqId=${id}\nError: a fault`))
    expect(lines[0]).toMatch(/\n +at /)
    expect(lines[0]).not.toContain('\u001b')
  })

  test('prints what fails after the headers of a response are sent', async () => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    onTestFinished(() => {
      print.mockRestore()
    })
    const content = { 'text/plain': {} }
    const get = { operationId: 'get', responses: { 200: { description: 'A text.', content }, ...failures } }
    const body = async function* () {
      yield Buffer.from('a')
      await Promise.reject(new Error('a fault midway'))
    }
    const app = await serveContract(contractOf({ paths: { '/': { get } } }), {
      handlers: { get: () => ({ status: 200, body: body() }) },
    })
    onTestFinished(() => app.close())
    await expect(fetch(await app.listen()).then((response) => response.text())).rejects.toThrow()
    const lines = print.mock.calls.map((call) => call.join(' '))
    expect(lines).toEqual([expect.stringMatching(/^response terminated .*reqId=[^]*Error: a fault midway\n +at /)])
  })

  test('prints nothing with logger: false', async () => {
    expect((await printed({ logger: false })).lines).toEqual([])
  })
})

test('the warning of the start is logged by the server of the service', async () => {
  const { app, lines } = await serve({ isGuest: true })
  const contract = contractOf({ paths: { '/a': { get: { operationId: 'a', responses: ok } } } })
  await app.register(fastifyContract(contract, { handlers: { a: failing }, docs: false }))
  expect(lines().filter(({ level }) => level === 40)).toHaveLength(1)
})
