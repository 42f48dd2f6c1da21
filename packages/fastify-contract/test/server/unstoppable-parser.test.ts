import { createServer } from 'node:http'
import { Duplex } from 'node:stream'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { exchange, until } from './support/exchange.ts'
import { serve, shop, shopHandlers } from './support/serve.ts'

const parserOf = () => {
  const socket = new Duplex({ read: () => undefined })
  createServer().emit('connection', socket)
  // Node keeps its parser there.
  return Object.getPrototypeOf((socket as Duplex & { parser: object }).parser) as Record<string, unknown>
}

// As in a version of Node whose parser cannot go on where it was stopped.
const parser = parserOf()
const { resume } = parser
beforeAll(() => {
  delete parser['resume']
})
afterAll(() => {
  parser['resume'] = resume
})

const paths = {
  '/wait': { get: { operationId: 'wait' } },
  ...shop,
}
const head = 'GET /wait HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer me\r\n'

/** Serves an operation that takes a moment, and counts how many run at once. */
async function serveSlowly() {
  let [running, most, served] = [0, 0, 0]
  const wait = async () => {
    most = Math.max(most, ++running)
    await new Promise((resolve) => setTimeout(resolve, 20))
    running--
    served++
    return { status: 200, body: 'waited' }
  }
  const waiting = await serve({ paths, handlers: { ...shopHandlers(), wait } })
  return { ...waiting, origin: await waiting.listen(), most: () => most, served: () => served }
}

describe('a server on a Node whose parser cannot be stopped', () => {
  test('warns once', async () => {
    const { lines } = await serveSlowly()
    const warnings = lines().filter(({ msg }) => String(msg).includes('cannot be stopped between requests'))
    expect(warnings).toEqual([expect.objectContaining({ level: 40 })])
  })

  test.each(['execute', 'finish'])('warns of a parser without %s, too', async (name) => {
    const method = parser[name]
    Object.assign(parser, { resume })
    parser[name] = undefined
    onTestFinished(() => {
      parser[name] = method
      delete parser['resume']
    })
    const { lines } = await serve({ paths, handlers: { ...shopHandlers(), wait: () => ({ status: 200, body: '' }) } })
    expect(lines().some(({ msg }) => String(msg).includes('cannot be stopped between requests'))).toBe(true)
  })

  test('serves a client that waits for its responses, and refuses what is not a request', async () => {
    const { origin } = await serveSlowly()
    const create = `${head.replace('GET /wait', 'POST /things')}Content-Type: application/json\r\n`
    const chunks = Array.from('{"id":1}', (byte) => `1\r\n${byte}\r\n`).join('')
    const responses = await exchange(
      origin,
      ...[`${head}\r\n`, until('"waited"'), `${create}Transfer-Encoding: chunked\r\n\r\n`, `${chunks}0\r\n\r\n`],
      ...[until('{"id":1}'), `${head}\r\nno request\r\n\r\n`],
    )
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 400])
  })

  test('closes a connection behind a response if further requests wait', async () => {
    const { origin, most, served } = await serveSlowly()
    const [first, ...rest] = await exchange(origin, `${head}\r\n`.repeat(900))
    expect([first?.status, first?.text, rest, most(), served()]).toEqual([200, '"waited"', [], 1, 1])
    expect(first?.headers['connection']).toBe('close')
  })
})
