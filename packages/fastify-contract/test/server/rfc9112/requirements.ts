/** The bytes that each connection receives before the server closes it. */
export interface Received {
  /** The status codes; any if not given. */
  statuses?: readonly number[]
  /** Whether the client ends its side after its request. */
  ends?: boolean
  /** Patterns that the received bytes must or must not match. */
  received?: RegExp
  notReceived?: RegExp
}

/**
 * A requirement of RFC 9112 or RFC 9110: its section and its words, the expected bytes or single status, and what clients
 * send, each on its own connection. `me` is a valid token.
 */
export type Requirement = readonly [section: string, must: string, received: Received | number, ...sent: string[]]

/** A request that keeps its connection open, and one that closes it. */
const kept = 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n'
const last = 'GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'

/** A request for `/livez` with these header fields that closes its connection. */
function withFields(...fields: string[]): string {
  return `GET /livez HTTP/1.1\r\n${fields.map((field) => `${field}\r\n`).join('')}Connection: close\r\n\r\n`
}

/** A request line with the one required field. */
function hosted(line: string): string {
  return `${line}\r\nHost: a\r\n\r\n`
}

/** A request that creates a thing, with these fields and this rest. */
function post(fields: string, rest: string): string {
  return (
    'POST /things HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer me\r\nContent-Type: application/json\r\n' +
    `${fields}\r\n\r\n${rest}`
  )
}

const body = '{"id":1,"name":"a"}'
const length = `Content-Length: ${String(body.length)}`
const chunks = `13\r\n${body}\r\n0\r\n\r\n`

/** Requirements of RFC 9112, and of RFC 9110 where framing depends on them. */
export const requirements: readonly Requirement[] = [
  // RFC 9112, sections 2 to 5.
  [
    '9112 2.2',
    'refuse a bare CR',
    400,
    'GET /livez HTTP/1.1\rHost: a\r\n\r\n',
    'GET /livez HTTP/1.1\r\nHost: a\rX-A: b\r\n\r\n',
    'GET /livez HTTP/1.1\r\nHost: a\r\nX-A: b\rc\r\n\r\n',
  ],
  [
    '9112 2.2',
    'refuse white space before the first field',
    400,
    'GET /livez HTTP/1.1\r\n Host: a\r\n\r\n',
    'GET /livez HTTP/1.1\r\n\tX-A: a\r\nHost: a\r\n\r\n',
  ],
  [
    '9112 2.3',
    'answer as HTTP/1.1',
    { statuses: [200], received: /^HTTP\/1\.1 / },
    last,
    'GET /livez HTTP/1.0\r\n\r\n',
  ],
  [
    '9112 2.3',
    'refuse what is not HTTP-version',
    400,
    ...['GET /livez http/1.1', 'GET /livez HTTP/1.10', 'GET /livez HTTP/1.2', 'GET /livez HTTP/0.9', 'GET /livez'].map(
      hosted,
    ),
  ],
  [
    '9112 2.3',
    'take RTSP/1.x and ICE/1.x for HTTP/1.x',
    { received: /^HTTP\/1\.1 (?:200 OK|405 Method Not Allowed)\r\n/ },
    'GET /livez RTSP/1.0\r\n\r\n',
    'GET /livez RTSP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    'SOURCE /livez ICE/1.0\r\n\r\n',
  ],
  [
    '9112 3',
    'refuse an invalid request line',
    400,
    ...['GET /livez HTTP/1.1 x', 'GET /li vez HTTP/1.1', 'GET\t/livez HTTP/1.1', ' GET /livez HTTP/1.1'].map(hosted),
    'GET /livez#a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    'GET /livez?%zz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    hosted('GET /liv\xe9z HTTP/1.1'),
  ],
  ['9112 3', 'limit the request target', 431, `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
  ['9112 3.2', 'refuse HTTP/1.1 without Host', 400, 'GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ['9112 3.2', 'refuse more than one Host', 400, withFields('Host: a', 'Host: a'), withFields('Host: a', 'host: b')],
  [
    '9110 5.4',
    'ignore no field',
    { statuses: [400], received: /exactly one Host header/ },
    withFields('Host: a', ...Array.from({ length: 197 }, () => 'X:'), 'Host: a'),
  ],
  [
    '9110 5.4',
    'limit the number of fields',
    431,
    ...[199, 1_000, 4_000].map((count) => withFields('Host: a', ...Array.from({ length: count }, () => 'X:'))),
  ],
  [
    '9112 3.2',
    'refuse an invalid Host',
    400,
    ...['a b', 'a/b', 'a@b', 'a:b', 'http://a', 'a:1:2', '[::1', 'a\\b'].map((host) => withFields(`Host: ${host}`)),
  ],
  [
    '9112 3.2',
    'accept every valid Host',
    200,
    ...['', 'a', 'a.example:80', 'a:', '127.0.0.1:3000', '[::1]', '[::1]:3000', 'a_b', '%61'].map((host) =>
      withFields(`Host: ${host}`),
    ),
  ],
  [
    '9112 3.2.2',
    'accept the absolute form and ignore Host',
    200,
    'GET http://a.example/livez HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\n',
    'GET HTTP://a.example:80/livez HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n',
  ],
  [
    '9110 4.2.1',
    'refuse an http URI without a host',
    400,
    ...['http:///livez', 'http://:80/livez', 'http://a@/livez', 'http:/livez'].map(
      (target) => `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    ),
  ],
  ['9112 3.2.4', 'accept OPTIONS *', 404, 'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
  [
    '9112 3.2.4',
    'refuse * for other methods',
    400,
    ...['GET', 'HEAD', 'DELETE'].map((method) => `${method} * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`),
  ],
  [
    '9112 5.1',
    'refuse white space before the colon',
    400,
    withFields('Host : a'),
    withFields('Host: a', 'X-A\t: b'),
    withFields('Host: a', 'Content-Length : 0'),
    withFields('Host: a', 'Transfer-Encoding : chunked'),
  ],
  [
    '9112 5.2',
    'refuse line folding',
    400,
    withFields('Host: a', 'X-A: b\r\n c'),
    withFields('Host: a', 'X-A:\r\n\tb'),
    withFields('Host: a', 'Transfer-Encoding:\r\n chunked'),
  ],
  [
    '9110 5.1',
    'refuse a field name that is no token',
    400,
    withFields('Host: a', ': b'),
    withFields('Host: a', 'X(A: b'),
    withFields('Host: a', 'X\xe4: b'),
    withFields('Host: a', 'X-A'),
  ],
  [
    '9110 5.5',
    'refuse CR, LF and NUL in a field value',
    400,
    withFields('Host: a', 'X-A: b\0c'),
    withFields('Host: a', 'X-A: b\rc'),
  ],
  // RFC 9112, sections 6, 7 and 11.
  [
    '9112 6.1',
    'refuse a transfer coding that it does not know, and close',
    400,
    ...['gzip, chunked', 'gzip\r\nTransfer-Encoding: chunked', 'x, chunked'].map((coding) =>
      post(`Transfer-Encoding: ${coding}`, chunks + kept),
    ),
  ],
  [
    '9112 6.1',
    'close after Transfer-Encoding with Content-Length',
    400,
    post(`Content-Length: 5\r\nTransfer-Encoding: chunked`, `${chunks}${kept}`),
    post(`Transfer-Encoding: chunked\r\nContent-Length: ${String(chunks.length)}`, `${chunks}${kept}`),
  ],
  [
    '9112 6.1',
    'close after HTTP/1.0 with Transfer-Encoding',
    200,
    `GET /livez HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${kept}`,
  ],
  [
    '9112 6.1',
    'send no Transfer-Encoding with 1xx and 204',
    { statuses: [100, 200, 204], notReceived: /transfer-encoding/i },
    post(
      `Expect: 100-continue\r\n${length}`,
      `${body}DELETE /things/1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer me\r\nConnection: close\r\n\r\n`,
    ),
  ],
  [
    '9112 6.1',
    'send no Transfer-Encoding to HTTP/1.0',
    { statuses: [200], notReceived: /\r\ntransfer-encoding:/i },
    'GET /many HTTP/1.0\r\nAuthorization: Bearer me\r\n\r\n',
    'GET /docs/static/swagger-ui-bundle.js HTTP/1.0\r\n\r\n',
  ],
  [
    '9112 6.2',
    'send no Content-Length with Transfer-Encoding',
    {
      statuses: [200],
      notReceived: /content-length: [^]*transfer-encoding: |transfer-encoding: [^]*content-length: /i,
    },
    'GET /many HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer me\r\nConnection: close\r\n\r\n',
  ],
  [
    '9112 6.3',
    'refuse Transfer-Encoding that does not end in chunked, and close',
    400,
    ...['gzip', 'identity', 'chunked, gzip', 'xchunked', 'chunked;', '"chunked"', '\x0bchunked'].map((coding) =>
      post(`Transfer-Encoding: ${coding}`, chunks + kept),
    ),
  ],
  [
    '9112 6.3',
    'refuse chunked that is applied twice, and close',
    400,
    ...['chunked, chunked', 'chunked\r\nTransfer-Encoding: chunked'].map((coding) =>
      post(`Transfer-Encoding: ${coding}`, chunks + kept),
    ),
  ],
  [
    '9112 6.3',
    'refuse an invalid Content-Length, and close',
    400,
    ...['-1', '+2', '0x2', '2.0', '2 2', '2x', '1_0', '', '2,', '99999999999999999999999999'].map((length) =>
      post(`Content-Length: ${length}`, `{}${kept}`),
    ),
  ],
  [
    '9112 6.3',
    'refuse different values of Content-Length, and close',
    400,
    ...['2\r\nContent-Length: 3', '2, 3'].map((length) => post(`Content-Length: ${length}`, `{} ${kept}`)),
  ],
  [
    '9112 6.3',
    'take content that ends early to be incomplete, and close',
    { statuses: [400], ends: true },
    post('Content-Length: 50', body),
    post('Transfer-Encoding: chunked', `13\r\n${body}\r\n`),
  ],
  [
    '9112 7.1',
    'refuse an invalid chunk, and close',
    400,
    ...['x', '-1', '0x2\r\n{}', '2 \r\n{}', '2\r\n{}x', '2\n{}', ';a\r\n{}'].map((coded) =>
      post('Transfer-Encoding: chunked', `${coded}\r\n0\r\n\r\n`),
    ),
  ],
  [
    '9112 7.1',
    'refuse a chunk size that overflows',
    400,
    ...['10000000000000002', 'FFFFFFFFFFFFFFFFFFFF'].map((size) =>
      post('Transfer-Encoding: chunked', `${size}\r\n{}\r\n0\r\n\r\n`),
    ),
  ],
  [
    '9112 7.1.1',
    'limit chunk extensions',
    400,
    post('Transfer-Encoding: chunked', `13;${'a'.repeat(20_000)}\r\n${body}\r\n0\r\n\r\n`),
  ],
  [
    '9112 7.1.2',
    'merge no trailer field into the header section',
    { statuses: [200], notReceived: /merged/ },
    post(
      'Transfer-Encoding: chunked\r\nTrailer: X-Request-Id\r\nConnection: close',
      `13\r\n${body}\r\n0\r\nX-Request-Id: merged\r\nAuthorization: Bearer x\r\nHost: b\r\n\r\n`,
    ),
  ],
  [
    '9112 11.2',
    'take the bytes behind a message to be the next request',
    { received: /^HTTP\/1\.1 (?:400[^]*HTTP\/1\.1 200|200[^]*HTTP\/1\.1 404) (?![^]*HTTP\/1\.1)/ },
    `${post('Content-Length: 0', '')}${last}`,
    `GET /livez HTTP/1.1\r\nHost: a\r\nContent-Length: ${String(kept.length)}\r\n\r\n` +
      `${kept}GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
  ],
  // RFC 9112, section 9, and RFC 9110.
  [
    '9112 9.3',
    'keep an HTTP/1.1 connection, and close after HTTP/1.0',
    { statuses: [200, 200] },
    `${kept}GET /livez HTTP/1.0\r\n\r\n${kept}`,
  ],
  [
    '9112 9.3',
    'read the whole content of a refused request, or close',
    { statuses: [401, 200] },
    `POST /things HTTP/1.1\r\nHost: a\r\n${length}\r\n\r\n${body}${last}`,
    `POST /things HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n13\r\n${body}\r\n0\r\n\r\n${last}`,
  ],
  [
    '9112 9.3.2',
    'answer in the order of the requests',
    { statuses: [200, 200, 404, 200, 200, 404] },
    `GET /many HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer me\r\n\r\n${kept}GET /nothing HTTP/1.1\r\n` +
      'Host: a\r\n\r\nGET /docs/static/swagger-ui.css HTTP/1.1\r\nHost: a\r\n\r\n' +
      `${post(length, body)}CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n`,
  ],
  [
    '9112 9.6',
    'close after Connection: close, and process nothing behind it',
    { statuses: [200], received: /\r\nconnection: close\r\n/i },
    `${last}${kept}`,
    `GET /livez HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n${kept}`,
  ],
  [
    '9110 7.8',
    'ignore Upgrade to what this server does not speak',
    { statuses: [200], notReceived: / 101 / },
    ...['websocket', 'h2c', 'HTTP/2.0, TLS/1.0'].flatMap((protocol) =>
      ['Upgrade, close', 'Upgrade'].map(
        (options) => `GET /livez HTTP/1.1\r\nHost: a\r\nConnection: ${options}\r\nUpgrade: ${protocol}\r\n\r\n${kept}`,
      ),
    ),
  ],
  [
    '9110 7.8',
    'ignore Upgrade in HTTP/1.0',
    200,
    'GET /livez HTTP/1.0\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  ],
  [
    '9110 9.3.2',
    'send no content with HEAD',
    { received: /^[^]*?\r\n\r\n$/, notReceived: /\r\n\r\n[^]/ },
    ...['/livez', '/nothing', '/openapi.json', '/docs/static/swagger-ui.css'].map(
      (path) => `HEAD ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    ),
  ],
  ['9110 9.3.6', 'open no tunnel with CONNECT', 404, `CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n${kept}`],
  [
    '9110 10.1.1',
    'answer Expect: 100-continue with 100 or a final status, without waiting',
    { statuses: [100, 200] },
    post(`${length}\r\nExpect: 100-continue\r\nConnection: close`, body),
  ],
  [
    '9110 10.1.1',
    'refuse before the content where the header section is enough',
    401,
    `POST /things HTTP/1.1\r\nHost: a\r\n${length}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`,
  ],
  [
    '9110 10.1.1',
    'ignore Expect: 100-continue in HTTP/1.0',
    { statuses: [200], notReceived: / 100 / },
    post(`${length}\r\nExpect: 100-continue`, body).replace('HTTP/1.1', 'HTTP/1.0'),
  ],
  [
    '9110 11.6.1',
    'send WWW-Authenticate with 401',
    { statuses: [401], received: /\r\nwww-authenticate: Bearer /i },
    'GET /things HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    'GET /things HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\nConnection: close\r\n\r\n',
  ],
  [
    '9110 13.2.1',
    'send no content with 304',
    { received: /^HTTP\/1\.1 (?:304 (?![^]*\r\n\r\n[^])|200 )/ },
    'GET /docs/static/swagger-ui.css HTTP/1.1\r\nHost: a\r\nIf-None-Match: *\r\nConnection: close\r\n\r\n',
  ],
]
