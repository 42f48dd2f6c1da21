import { METHODS } from 'node:http'
import type { Random } from '../../test/support/random.ts'

/**
 * How a client closes its connection. `wait` sends a FIN when nothing more arrives, `half-close` at once; both read to
 * the end. `close` and `reset` stop reading; `reset` sends an RST.
 */
export type Ending = 'wait' | 'half-close' | 'close' | 'reset'

/** The behaviour of one connection. */
export interface Attack {
  bytes: Buffer
  ending: Ending
  /** The delay of a `close` or a `reset` after the bytes. */
  milliseconds: number
  /** Whether the client reads the responses. */
  reads: boolean
}

/** More requests than fit into one segment. Small numbers are more frequent. */
const maxPipeline = 300

/**
 * Draws an attack: a mutated request, a truncated request, or a pipeline.
 *
 * @param corpus valid requests
 */
export function drawAttack(corpus: readonly Buffer[], random: Random): Attack {
  const { below, one } = random
  switch (below(5)) {
    case 0: {
      const request = drawRequest(corpus, random)
      return {
        bytes: request.subarray(0, below(request.length + 1)),
        ending: one(['half-close', 'close', 'reset', 'reset']),
        milliseconds: below(4),
        reads: below(2) === 0,
      }
    }
    case 1:
      return {
        bytes: drawPipeline(corpus, random),
        ending: one(['wait', 'half-close', 'close', 'reset']),
        milliseconds: below(60),
        reads: below(2) === 0,
      }
    default:
      return { bytes: drawRequest(corpus, random), ending: 'wait', milliseconds: 0, reads: true }
  }
}

/** Truncates a request after each byte, with a FIN and with an RST. */
export function cutAtEveryByte(request: Buffer): Attack[] {
  return Array.from({ length: request.length + 1 }, (_, length) => request.subarray(0, length)).flatMap((bytes) =>
    (['close', 'reset'] as const).map((ending): Attack => ({ bytes, ending, milliseconds: 0, reads: true })),
  )
}

function drawRequest(corpus: readonly Buffer[], random: Random): Buffer {
  const { below, one } = random
  switch (below(6)) {
    case 0:
      return withMethod(one(corpus), one(methods))
    case 1:
      return one(lastRequests)
    default:
      return mutate(corpus, random)
  }
}

function drawPipeline(corpus: readonly Buffer[], random: Random): Buffer {
  const { below, one } = random
  const length = 2 + Math.floor(below(maxPipeline) ** 2 / maxPipeline)
  const isMixed = below(2) === 0
  const requests = below(3) === 0 ? [one(corpus)] : corpus
  const pieces = Array.from({ length }, (_, index) =>
    isMixed && below(8) === 0 ? drawRequest(corpus, random) : withId(one(requests), index),
  )
  if (below(2) === 0) pieces.push(one(lastRequests))
  return Buffer.concat(pieces)
}

/** Adds an X-Request-Id. Responses repeat it, so that `faultIn` can check their order. */
function withId(request: Buffer, index: number): Buffer {
  const end = request.indexOf('\r\n') + 2
  return Buffer.concat([
    request.subarray(0, end),
    Buffer.from(`X-Request-Id: pipeline-${String(index)}\r\n`),
    request.subarray(end),
  ])
}

function withMethod(request: Buffer, method: string): Buffer {
  return Buffer.concat([Buffer.from(method), request.subarray(request.indexOf(' '))])
}

/** Texts that parsers often misread. */
const awkward = [
  ...['\r\n', '\n', '\r\n\r\n', '\0', '%', '%00', '%ff', '..', '//', '"', '{', '[', '\\u', '\\ud800'],
  ...['\ufeff', '1e999', '-0', '18446744073709551616', ': ', 'Transfer-Encoding: chunked\r\n'],
  ...['Content-Length: 5\r\n', 'Host: b\r\n', 'Content-Encoding: gzip\r\n', 'Upgrade: h2c\r\n'],
  ...['Expect: 100-continue\r\n', 'Connection: close\r\n', 'Range: bytes=9-\r\n', '?', '#', '__proto__'],
  ...['constructor'],
].map((text) => Buffer.from(text))

/** Changes a request in one to three places, each a byte or a few bytes. */
function mutate(corpus: readonly Buffer[], { below, one }: Random): Buffer {
  let bytes = Buffer.from(one(corpus))
  for (let changes = 1 + below(3); changes > 0; changes--) {
    const at = below(bytes.length + 1)
    const to = Math.min(bytes.length, at + 1 + below(16))
    const [before, piece, after] = [bytes.subarray(0, at), bytes.subarray(at, to), bytes.subarray(to)]
    const changed = [
      () => [before, Buffer.from([below(256)]), bytes.subarray(at + 1)],
      () => [before, Buffer.from([(bytes[at] ?? 0) ^ (1 << below(8))]), bytes.subarray(at + 1)],
      () => [before, after],
      () => [before, piece, piece, after],
      () => [before, one(awkward), bytes.subarray(at)],
      () => [before, one(awkward), after],
      () => [before, one(corpus).subarray(below(40))],
      () => [before, Buffer.alloc(below(20_000), below(256)), bytes.subarray(at)],
      () => [before],
    ]
    // The last two keep little of the text, so they are less frequent.
    const kind = below(changed.length * 4)
    bytes = Buffer.concat(changed[kind < changed.length ? kind : kind % 7]!())
  }
  return bytes
}

/** Every method of HTTP that Node's parser knows, some that it knows for other protocols, and one that it does not. */
const methods: readonly string[] = [...METHODS, 'PRI', 'ANNOUNCE', 'SETUP', 'FLUSH', 'BREW']

/** Requests after which Node reads no more HTTP on the connection, or that ask for that. */
export const lastRequests: readonly Buffer[] = [
  'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
  'CONNECT a:1 HTTP/1.1\r\n\r\nGET /livez HTTP/1.1\r\nHost: a\r\n\r\n',
  'CONNECT a:1 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello',
  'GET /livez HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
    'Sec-WebSocket-Version: 13\r\n\r\n\x81\x05hello',
  'POST /plants HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n' +
    'HTTP2-Settings: AAMAAABk\r\nContent-Length: 2\r\n\r\n{}GET /livez HTTP/1.1\r\nHost: a\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0',
  'PRI *\r\n\r\n',
  'ANNOUNCE /plants RTSP/1.0\r\nCSeq: 1\r\nContent-Length: 5\r\n\r\nhelloGET /livez HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET /livez RTSP/2.0\r\nCSeq: 1\r\n\r\nGET /livez HTTP/1.1\r\nHost: a\r\n\r\n',
  'HEAD /livez HTTP/2.0\r\n\r\n',
  'GET /livez\r\nHost: a\r\n\r\n',
  'GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\nGET /livez HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET /livez HTTP/1.0\r\n\r\nGET /livez HTTP/1.0\r\n\r\n',
  '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03',
  'garbage\r\n\r\n',
  '\0',
].map((text) => Buffer.from(text, 'latin1'))

/** Good requests of every kind, as bytes. */
export function goodRequests(token: string): Buffer[] {
  const fields = `Host: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n`
  const docsFile = (more: string) => `GET /docs/static/swagger-ui.css HTTP/1.1\r\nHost: a\r\n${more}\r\n\r\n`
  const create = (more: string, body: string) =>
    `POST /plants HTTP/1.1\r\n${fields}Content-Type: application/json\r\n${more}\r\n${body}`
  const post = (body: string, more = '') =>
    create(`${more}Content-Length: ${String(Buffer.byteLength(body))}\r\n`, body)
  const chunked = (chunks: string) => create('Transfer-Encoding: chunked\r\n', chunks)
  return [
    `GET /plants HTTP/1.1\r\n${fields}\r\n`,
    `GET /plants?limit=20 HTTP/1.1\r\n${fields}X-Request-Id: fuzz\r\n\r\n`,
    `HEAD /plants?limit=0 HTTP/1.1\r\n${fields}Connection: close\r\n\r\n`,
    post('{"id":54,"name":"Monstera deliciosa","tag":"indoor"}'),
    post('{"id":9007199254740993,"name":"\\ud83c\\udf31 \u{1f331}"}'),
    post('{"id":-54.0e0,"name":"Aloe vera","more":[{"a":null},true,1e400]}', 'Expect: 100-continue\r\n'),
    post('{"id":56,"name":"Aloe vera"}', 'Expect: 200-ok\r\n'),
    chunked('9\r\n{"id":55,\r\nb\r\n"name":"a"}\r\n0\r\n\r\n'),
    chunked('14;a=b;c="d"\r\n{"id":57,"name":"a"}\r\n0;e\r\nX-Trailer: a\r\nContent-Length: 5\r\n\r\n'),
    `DELETE /plants/54 HTTP/1.1\r\n${fields}\r\n`,
    `DELETE /plants/-9223372036854775808 HTTP/1.1\r\n${fields}Content-Type: application/json\r\n\r\n`,
    `DELETE /plants/%35%35 HTTP/1.0\r\n${fields}\r\n`,
    `GET /readyz HTTP/1.1\r\nHost: a\r\n\r\nGET /livez HTTP/1.1\r\nHost: a\r\n\r\n`,
    'GET /docs/ HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\nRange: bytes=0-9\r\nIf-None-Match: "a"\r\n\r\n',
    docsFile('Range: bytes=9999999-'),
    docsFile('If-Match: "a"'),
    docsFile('If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT'),
    'GET http://127.0.0.1/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n',
    `OPTIONS /plants HTTP/1.1\r\n${fields}Origin: http://a\r\nAccess-Control-Request-Method: POST\r\n\r\n`,
  ].map((text) => Buffer.from(text))
}
