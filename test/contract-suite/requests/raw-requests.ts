import type { SentRequest } from '../../support/responses/check-response.ts'

/** Bytes that a client might send, and what the contract or HTTP has for them. */
export interface RawRequest {
  /** What is odd about them; a sentence's beginning. */
  title: string
  pieces: (string | Buffer)[]
  /** What the bytes were meant to be, so far as they tell. */
  meant: SentRequest
  /** The responses in order: the contract's failure by name, or a status. None where HTTP allows no answer. */
  answers: (string | number)[]
}

/** The longest request line and headers, in bytes, of the server that the corpus is sent to. */
const headerBytes = 16_384

const newPlant = '{"id":1,"name":"a"}'

/**
 * Makes the corpus: every door by which an error can leave the server.
 *
 * @param token a good token
 */
export function rawRequests(token: string): RawRequest[] {
  const fields = `Host: plants.test\r\nAuthorization: Bearer ${token}\r\n`
  const json = 'Content-Type: application/json\r\n'
  const close = 'Connection: close\r\n'
  const list: SentRequest = { method: 'GET', url: '/plants' }
  const create: SentRequest = { method: 'POST', url: '/plants' }
  const remove: SentRequest = { method: 'DELETE', url: '/plants/1' }
  const none: SentRequest = { method: '?', url: '?' }

  const get = (line: string, meant = list, more = ''): [string, SentRequest] => [
    `${line}\r\n${fields}${close}${more}\r\n`,
    meant,
  ]
  const post = (more: string, body: string | Buffer): (string | Buffer)[] => [
    `POST /plants HTTP/1.1\r\n${fields}${json}${close}${more}\r\n`,
    body,
  ]
  const row = (title: string, [piece, meant]: [string, SentRequest], ...answers: (string | number)[]): RawRequest => ({
    title,
    pieces: [piece],
    meant,
    answers,
  })
  const posted = (title: string, pieces: (string | Buffer)[], ...answers: (string | number)[]): RawRequest => ({
    title,
    pieces,
    meant: create,
    answers,
  })
  const bytes = (
    title: string,
    meant: SentRequest,
    piece: string | Buffer,
    ...answers: (string | number)[]
  ): RawRequest => ({ title, pieces: [piece], meant, answers })
  const many = 'a: b\r\n'.repeat(headerBytes)
  const long = 'a'.repeat(headerBytes)

  return [
    // Not a request at all.
    bytes('the beginning of TLS', none, Buffer.from('160301020001000100', 'hex'), 'malformed_http'),
    bytes('random bytes', none, Buffer.from('fffe00dead0d0a0d0a', 'hex'), 'malformed_http'),
    bytes('the preface of HTTP/2', none, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'malformed_http'),
    bytes('a response instead of a request', none, 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', 'malformed_http'),
    // The request line.
    row('a version before 1.0', get('GET /plants HTTP/0.8'), 'malformed_http'),
    row('a version that does not exist', get('GET /plants HTTP/1.2'), 'malformed_http'),
    row('a version of another protocol', get('GET /plants HTTP/3.0'), 'malformed_http'),
    row('a word instead of the version', get('GET /plants HTTPS/1.1'), 'malformed_http'),
    row('a method in lower case', get('get /plants HTTP/1.1'), 'malformed_http'),
    row('a method that nobody knows', get('BREW /plants HTTP/1.1'), 'malformed_http'),
    row(
      'a method that HTTP knows and the path does not',
      get('PURGE /plants HTTP/1.1', { method: 'PURGE', url: '/plants' }),
      'method_not_allowed',
    ),
    row('a target with a space', get('GET /pla nts HTTP/1.1', none), 'malformed_http'),
    row('a target with a letter beyond ASCII', get('GET /plants?limit=\u00e9 HTTP/1.1'), 'malformed_http'),
    row('a target with a control character', get('GET /plants\u0001 HTTP/1.1', none), 'malformed_http'),
    row('a target without its slash', get('GET plants HTTP/1.1', none), 'malformed_http'),
    row('a target of another scheme', get('GET ftp://plants.test/plants HTTP/1.1', none), 'path_not_found'),
    row('a target in absolute form', get('GET http://plants.test/plants HTTP/1.1'), 200),
    row('OPTIONS of the whole server', get('OPTIONS * HTTP/1.1', { method: 'OPTIONS', url: '*' }), 'path_not_found'),
    row('percent-encoding that is broken in the path', get('DELETE /plants/%zz HTTP/1.1', remove), 'malformed_http'),
    row('percent-encoding that is no UTF-8 in the path', get('DELETE /plants/%ff HTTP/1.1', remove), 'malformed_http'),
    row('percent-encoding that is broken in the query', get('GET /plants?limit=%zz HTTP/1.1'), 'malformed_http'),
    row('percent-encoding that is no UTF-8 in the query', get('GET /plants?limit=%C3 HTTP/1.1'), 'malformed_http'),
    bytes(
      'a request line that is longer than the server takes',
      list,
      `GET /plants?limit=${long} HTTP/1.1\r\n${fields}\r\n`,
      'headers_too_large',
    ),
    bytes(
      'CONNECT',
      { method: 'CONNECT', url: 'example.test:443' },
      `CONNECT example.test:443 HTTP/1.1\r\nHost: example.test:443\r\n\r\n`,
      'path_not_found',
    ),
    // The headers.
    row('an upgrade to WebSocket, which is ignored', get('GET /plants HTTP/1.1', list, 'Upgrade: websocket\r\n'), 200),
    bytes('no Host', list, `GET /plants HTTP/1.1\r\nAuthorization: Bearer ${token}\r\n${close}\r\n`, 'malformed_http'),
    bytes(
      'no Host in HTTP/1.0, which has none',
      list,
      `GET /plants HTTP/1.0\r\nAuthorization: Bearer ${token}\r\n\r\n`,
      200,
    ),
    row('two Hosts', get('GET /plants HTTP/1.1', list, 'Host: other.test\r\n'), 'malformed_http'),
    row('a header without a colon', get('GET /plants HTTP/1.1', list, 'no-colon\r\n'), 'malformed_http'),
    row('a header with a space before its colon', get('GET /plants HTTP/1.1', list, 'X-A : b\r\n'), 'malformed_http'),
    row('a header that is folded', get('GET /plants HTTP/1.1', list, 'X-A: b\r\n c\r\n'), 'malformed_http'),
    row('a header with U+0000', get('GET /plants HTTP/1.1', list, 'X-A: b\u0000c\r\n'), 'malformed_http'),
    row('a header with no name', get('GET /plants HTTP/1.1', list, ': b\r\n'), 'malformed_http'),
    bytes('lines that end in LF alone', list, `GET /plants HTTP/1.1\nHost: plants.test\n\n`, 'malformed_http'),
    bytes(
      'one header that is larger than the server takes',
      list,
      `GET /plants HTTP/1.1\r\n${fields}X-A: ${long}\r\n\r\n`,
      'headers_too_large',
    ),
    bytes(
      'many headers that are together larger than the server takes',
      list,
      `GET /plants HTTP/1.1\r\n${fields}${many}\r\n`,
      'headers_too_large',
    ),
    bytes(
      'headers of no operation that are larger than the server takes',
      none,
      `GET /nothing HTTP/1.1\r\n${fields}${many}\r\n`,
      'headers_too_large',
    ),
    // How long the body is.
    posted('a Content-Length that is no number', post('Content-Length: x\r\n', newPlant), 'malformed_http'),
    posted('a Content-Length below zero', post('Content-Length: -1\r\n', newPlant), 'malformed_http'),
    posted('a Content-Length with a sign', post('Content-Length: +19\r\n', newPlant), 'malformed_http'),
    posted('a Content-Length in hexadecimal', post('Content-Length: 0x13\r\n', newPlant), 'malformed_http'),
    posted(
      'a Content-Length beyond 64 bits',
      post('Content-Length: 99999999999999999999\r\n', newPlant),
      'malformed_http',
    ),
    posted('two Content-Lengths', post('Content-Length: 19\r\nContent-Length: 20\r\n', newPlant), 'malformed_http'),
    posted(
      'both Content-Length and Transfer-Encoding',
      post('Content-Length: 19\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'),
      'malformed_http',
    ),
    posted(
      'a Transfer-Encoding that does not end in chunked',
      post('Transfer-Encoding: gzip\r\n', '0\r\n\r\n'),
      'malformed_http',
    ),
    posted('a Content-Length over the limit', post('Content-Length: 65537\r\n', ' '.repeat(65_537)), 'body_too_large'),
    posted('no body', post('Content-Length: 0\r\n', ''), 'malformed_body'),
    posted('neither Content-Length nor Transfer-Encoding', post('', ''), 'malformed_body'),
    posted(
      'a body that is longer than it says',
      post(`Content-Length: ${String(newPlant.length)}\r\n`, `${newPlant} and more`),
      200,
    ),
    // Chunks.
    posted('chunks', post('Transfer-Encoding: chunked\r\n', `13\r\n{"id":2,"name":"a"}\r\n0\r\n\r\n`), 200),
    posted(
      'chunks with extensions and a trailer',
      post('Transfer-Encoding: chunked\r\n', `8;a=b;c="d"\r\n{"id":3,\r\n0b\r\n"name":"a"}\r\n0\r\nX-A: b\r\n\r\n`),
      200,
    ),
    posted(
      'a chunk whose size is no number',
      post('Transfer-Encoding: chunked\r\n', 'zz\r\n{}\r\n0\r\n\r\n'),
      'malformed_http',
    ),
    posted(
      'a chunk whose size is below zero',
      post('Transfer-Encoding: chunked\r\n', '-1\r\n{}\r\n0\r\n\r\n'),
      'malformed_http',
    ),
    posted(
      'a chunk whose size is beyond 64 bits',
      post('Transfer-Encoding: chunked\r\n', 'ffffffffffffffff1\r\n{}\r\n'),
      'malformed_http',
    ),
    posted(
      'a chunk that is longer than its size',
      post('Transfer-Encoding: chunked\r\n', '2\r\n{"id"}\r\n0\r\n\r\n'),
      'malformed_http',
    ),
    posted(
      'a chunk with endless extensions',
      post('Transfer-Encoding: chunked\r\n', `2;${long}${long}\r\n{}\r\n0\r\n\r\n`),
      'malformed_http',
    ),
    posted(
      'a trailer that is larger than the server takes',
      post('Transfer-Encoding: chunked\r\n', `2\r\n{}\r\n0\r\nX-A: ${long}\r\n\r\n`),
      'headers_too_large',
    ),
    posted(
      'chunks that are together over the limit',
      post('Transfer-Encoding: chunked\r\n', `10001\r\n${' '.repeat(65_537)}\r\n0\r\n\r\n`),
      'body_too_large',
    ),
    // What does not arrive in time.
    bytes('a connection on which nothing is sent', none, '', 'request_timeout'),
    bytes('half a request line', none, 'GET /pla', 'request_timeout'),
    posted('half a body', post('Content-Length: 19\r\n', '{"id"'), 'request_timeout'),
    posted('half a chunk', post('Transfer-Encoding: chunked\r\n', '13\r\n{"id"'), 'request_timeout'),
    posted(
      'a body that is never sent and was never invited',
      post('Content-Length: 19\r\nExpect: something\r\n', ''),
      'request_timeout',
    ),
    // More than one request on a connection.
    bytes(
      'garbage after a good request',
      list,
      `GET /plants HTTP/1.1\r\n${fields}\r\n\u0000garbage\r\n\r\n`,
      200,
      'malformed_http',
    ),
    bytes(
      'a bad request after a good one',
      list,
      `GET /plants HTTP/1.1\r\n${fields}\r\nGET /plants?limit=x HTTP/1.1\r\n${fields}${close}\r\n`,
      200,
      'invalid_request',
    ),
    bytes(
      'a good request after a bad one, which ends the connection',
      list,
      `GET /plants HTTP/1.9\r\n${fields}\r\nGET /plants HTTP/1.1\r\n${fields}\r\n`,
      'malformed_http',
    ),
    bytes(
      'a connection that idles after a request, which is no request that could be answered',
      list,
      `GET /plants HTTP/1.1\r\n${fields}\r\n`,
      200,
    ),
  ]
}
