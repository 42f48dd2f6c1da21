import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { describe, expect, test } from 'vitest'
import { decodeContent } from './support/decode-content.ts'
import { openSocket, receive } from './support/exchange.ts'
import { bothServers, serve } from './support/serve.ts'

const head = 'POST /things HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer me\r\nContent-Type: application/json\r\n'
const last = 'GET /things HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer me\r\nConnection: close\r\n\r\n'
const codings = { gzip: gzipSync, zstd: zstdCompressSync }

/** Sends a body, and a request behind it. */
function sent(coding: string, body: Buffer, isChunked = false): Buffer {
  const framing = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${String(body.length)}`
  const content = isChunked ? [`${body.length.toString(16)}\r\n`, body, '\r\n0\r\n\r\n'] : [body]
  const all = [`${head}Content-Encoding: ${coding}\r\n${framing}\r\n\r\n`, ...content, last]
  return Buffer.concat(all.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
}

test('the page on compressed bodies shows the hook that is tested here', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/compressed-bodies.md'), 'utf8')
  const code = readFileSync(join(import.meta.dirname, 'support/decode-content.ts'), 'utf8')
  expect(page).toContain(`\`\`\`ts\n${code}\`\`\`\n`)
})

describe.each(bothServers)('on %s, a hook', (_what, isGuest) => {
  const start = async () => {
    const { listen } = await serve({ isGuest, before: (app) => app.addHook('preParsing', decodeContent) })
    const origin = await listen()
    return async (...given: Parameters<typeof sent>) => receive(origin, sent(...given))
  }

  test.each(Object.entries(codings))('decodes %s', async (coding, encode) => {
    const send = await start()
    const body = encode('{"id":9007199254740993}')
    for (const [isChunked, status] of [
      [false, 200],
      [true, 409],
    ] as const) {
      const [first, next] = await send(coding.toUpperCase(), body, isChunked)
      expect([first?.status, next?.status]).toEqual([status, 200])
      if (status === 200) expect(first?.text).toBe('{"id":9007199254740993}')
    }
  })

  test.each(Object.entries(codings))('decodes no more of %s than a body may have', async (coding, encode) => {
    const send = await start()
    expect((await send(coding, encode('{"id":1}'.padEnd(65_536)))).map(({ status }) => status)).toEqual([200, 200])
    const bomb = encode('{"id":1}'.padEnd(10_000_000))
    expect(bomb.length).toBeLessThan(65_536)
    expect((await send(coding, bomb)).map(({ status }) => status)).toEqual([413, 200])
  })

  test.each<[string, string, Buffer, number]>([
    ['what is not gzip', 'gzip', Buffer.from('{"id":1}'), 400],
    ['what is cut off', 'gzip', gzipSync('{"id":1}').subarray(0, -9), 400],
    ['what is not zstd', 'zstd', Buffer.from('{"id":1}'), 400],
    ['another coding', 'br', Buffer.from('{"id":1}'), 415],
    ['two codings', 'gzip, zstd', Buffer.from('{"id":1}'), 415],
  ])('refuses %s', async (_which, coding, body, status) => {
    const send = await start()
    const [first, next] = await send(coding, body)
    expect([first?.status, first?.headers['accept-encoding'], next?.status]).toEqual([
      status,
      status === 415 ? 'gzip, zstd' : undefined,
      200,
    ])
  })
})

test('the server closes what a hook decodes when it refuses the body', async () => {
  let decoded: Readable | undefined
  const hook = (app: FastifyInstance) =>
    void app.addHook('preParsing', (_request, _reply, payload, done) => {
      decoded = new Readable({ read: () => decoded?.push(Buffer.alloc(16_384)) })
      payload.pipe(new PassThrough())
      done(null, Object.assign(decoded, { receivedEncodedLength: 1 }))
    })
  const { listen } = await serve({ before: hook })
  const socket = await openSocket(await listen())
  const received: string[] = []
  socket.on('data', (chunk: Buffer) => received.push(String(chunk)))
  socket.write(`${head}Content-Length: 1000000\r\n\r\n${'x'.repeat(500_000)}`)
  await expect.poll(() => received.join('')).toContain('HTTP/1.1 413')
  expect(decoded?.destroyed).toBe(true)
})
