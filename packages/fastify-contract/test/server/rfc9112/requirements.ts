/** A requirement of RFC 9112 or RFC 9110, with messages that show whether the server keeps it. */
export interface Requirement {
  /** As docs/threats.md names it: `9112 6.3`. */
  section: string
  /** In few words, as docs/threats.md has it. */
  must: string
  /** What a client sends on a connection of its own, one connection after the other; `me` is a token. */
  sent: readonly string[]
  /** Whether the client ends its side behind that. */
  ends?: boolean
  /** The status codes that each connection receives before the server closes it; any where there are none. */
  statuses: readonly number[]
  /** What else everything that a connection receives is or is not like. */
  received?: RegExp
  notReceived?: RegExp
}

/** A request that keeps its connection, and one that is the last. */
const kept = 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n'
const last = 'GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'

/** A request for `/livez` with these header fields, which is the last. */
function withFields(...fields: string[]): string {
  return `GET /livez HTTP/1.1\r\n${fields.map((field) => `${field}\r\n`).join('')}Connection: close\r\n\r\n`
}

/** A request that creates a thing, with these fields and whatever follows them. */
function post(fields: string, rest: string): string {
  return (
    'POST /things HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer me\r\nContent-Type: application/json\r\n' +
    `${fields}\r\n\r\n${rest}`
  )
}

const body = '{"id":1,"name":"a"}'
const length = `Content-Length: ${String(body.length)}`
const chunks = `13\r\n${body}\r\n0\r\n\r\n`

/** What RFC 9112 requires, and what RFC 9110 says of fields, methods and status codes where a message ends. */
export const requirements: readonly Requirement[] = [
  // RFC 9112, sections 2 to 5.
  {
    section: '9112 2.2',
    must: 'parse octets, not characters',
    sent: [withFields('Host: a', 'X-A: \xe4\xb8\x8a\xc4\x8a\xe5\x98\x8a')],
    statuses: [200],
  },
  {
    section: '9112 2.2',
    must: 'refuse a bare CR',
    sent: [
      'GET /livez HTTP/1.1\rHost: a\r\n\r\n',
      'GET /livez HTTP/1.1\r\nHost: a\rX-A: b\r\n\r\n',
      'GET /livez HTTP/1.1\r\nHost: a\r\nX-A: b\rc\r\n\r\n',
    ],
    statuses: [400],
  },
  {
    section: '9112 2.2',
    must: 'refuse white space before the first field',
    sent: ['GET /livez HTTP/1.1\r\n Host: a\r\n\r\n', 'GET /livez HTTP/1.1\r\n\tX-A: a\r\nHost: a\r\n\r\n'],
    statuses: [400],
  },
  {
    section: '9112 2.2',
    must: 'skip an empty line before a request',
    sent: [`\r\n${last}`, `${kept}\r\n\r\n${last}`.slice(kept.length)],
    statuses: [200],
  },
  {
    section: '9112 2.3',
    must: 'answer as HTTP/1.1',
    sent: [last, 'GET /livez HTTP/1.0\r\n\r\n'],
    statuses: [200],
    received: /^HTTP\/1\.1 /,
  },
  {
    section: '9112 2.3',
    must: 'refuse what is not HTTP-version',
    sent: [
      'GET /livez http/1.1\r\nHost: a\r\n\r\n',
      'GET /livez HTTP/1.10\r\nHost: a\r\n\r\n',
      'GET /livez HTTP/11\r\nHost: a\r\n\r\n',
      'GET /livez HTTP/1.2\r\nHost: a\r\n\r\n',
      'GET /livez HTTP/2.0\r\nHost: a\r\n\r\n',
      'GET /livez HTTP/0.9\r\nHost: a\r\n\r\n',
      'GET /livez\r\nHost: a\r\n\r\n',
      'GET /livez RTSP/2.0\r\nHost: a\r\n\r\n',
      'GET /livez ICE/1.0\r\nHost: a\r\n\r\n',
      'SETUP /livez RTSP/1.0\r\nHost: a\r\n\r\n',
    ],
    statuses: [400],
  },
  {
    section: '9112 2.3',
    must: 'take RTSP/1.x and ICE/1.x for HTTP/1.x',
    sent: [
      'GET /livez RTSP/1.0\r\n\r\n',
      'GET /livez RTSP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
      'SOURCE /livez ICE/1.0\r\n\r\n',
    ],
    statuses: [],
    received: /^HTTP\/1\.1 (?:200 OK|405 Method Not Allowed)\r\n/,
  },
  {
    section: '9112 3',
    must: 'refuse an invalid request line',
    sent: [
      'GET /livez HTTP/1.1 x\r\nHost: a\r\n\r\n',
      'GET /li vez HTTP/1.1\r\nHost: a\r\n\r\n',
      'GET\t/livez HTTP/1.1\r\nHost: a\r\n\r\n',
      ' GET /livez HTTP/1.1\r\nHost: a\r\n\r\n',
      'GET /livez#a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
      'GET /livez?%zz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
      'GET /liv\xe9z HTTP/1.1\r\nHost: a\r\n\r\n',
    ],
    statuses: [400],
  },
  {
    section: '9112 3',
    must: 'limit the request target',
    sent: [`GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
    statuses: [431],
  },
  {
    section: '9112 3.2',
    must: 'refuse HTTP/1.1 without Host',
    sent: ['GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n'],
    statuses: [400],
  },
  {
    section: '9112 3.2',
    must: 'refuse more than one Host',
    sent: [withFields('Host: a', 'Host: a'), withFields('Host: a', 'host: b')],
    statuses: [400],
  },
  {
    section: '9110 5.4',
    must: 'ignore no field, however many there are',
    sent: [withFields('Host: a', ...Array.from({ length: 2_000 }, () => 'X:'), 'Host: a')],
    statuses: [400],
    received: /exactly one Host header/,
  },
  {
    section: '9112 3.2',
    must: 'refuse an invalid Host',
    sent: ['a b', 'a/b', 'a@b', 'a:b', 'http://a', 'a:1:2', '[::1', 'a\\b'].map((host) => withFields(`Host: ${host}`)),
    statuses: [400],
  },
  {
    section: '9112 3.2',
    must: 'accept every valid Host',
    sent: ['', 'a', 'a.example:80', 'a:', '127.0.0.1:3000', '[::1]', '[::1]:3000', 'a_b', '%61'].map((host) =>
      withFields(`Host: ${host}`),
    ),
    statuses: [200],
  },
  {
    section: '9112 3.2.2',
    must: 'accept the absolute form and ignore Host',
    sent: [
      'GET http://a.example/livez HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\n',
      'GET HTTP://a.example:80/livez HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n',
    ],
    statuses: [200],
  },
  {
    section: '9110 4.2.1',
    must: 'refuse an http URI without a host',
    sent: ['http:///livez', 'http://:80/livez', 'http://a@/livez', 'http:/livez'].map(
      (target) => `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    ),
    statuses: [400],
  },
  {
    section: '9112 3.2.4',
    must: 'accept OPTIONS *',
    sent: ['OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
    statuses: [404],
  },
  {
    section: '9112 4',
    must: 'send a space behind the status code',
    sent: [last, 'garbage\r\n\r\n'],
    statuses: [],
    received: /^HTTP\/1\.1 \d{3} /,
  },
  {
    section: '9112 5.1',
    must: 'refuse white space before the colon',
    sent: [
      withFields('Host : a'),
      withFields('Host: a', 'X-A\t: b'),
      withFields('Host: a', 'Content-Length : 0'),
      withFields('Host: a', 'Transfer-Encoding : chunked'),
    ],
    statuses: [400],
  },
  {
    section: '9112 5.2',
    must: 'refuse line folding',
    sent: [
      withFields('Host: a', 'X-A: b\r\n c'),
      withFields('Host: a', 'X-A:\r\n\tb'),
      withFields('Host: a', 'Transfer-Encoding:\r\n chunked'),
    ],
    statuses: [400],
  },
  {
    section: '9110 5.1',
    must: 'refuse a field name that is no token',
    sent: [
      withFields('Host: a', ': b'),
      withFields('Host: a', 'X(A: b'),
      withFields('Host: a', 'X\xe4: b'),
      withFields('Host: a', 'X-A'),
    ],
    statuses: [400],
  },
  {
    section: '9110 5.5',
    must: 'refuse CR, LF and NUL in a field value',
    sent: [withFields('Host: a', 'X-A: b\0c'), withFields('Host: a', 'X-A: b\rc')],
    statuses: [400],
  },
  // RFC 9112, sections 6, 7 and 11.
  {
    section: '9112 6.1',
    must: 'parse the chunked coding',
    sent: [
      post('Transfer-Encoding: chunked\r\nConnection: close', chunks),
      post(
        'Transfer-Encoding: CHUNKED\r\nConnection: close',
        `5\r\n${body.slice(0, 5)}\r\nE\r\n${body.slice(5)}\r\n000\r\n\r\n`,
      ),
    ],
    statuses: [200],
  },
  {
    section: '9112 6.1',
    must: 'refuse a transfer coding that it does not know, and close',
    sent: ['gzip, chunked', 'gzip\r\nTransfer-Encoding: chunked', 'x, chunked'].map((coding) =>
      post(`Transfer-Encoding: ${coding}`, chunks + kept),
    ),
    statuses: [400],
  },
  {
    section: '9112 6.1',
    must: 'close after Transfer-Encoding with Content-Length',
    sent: [
      post(`Content-Length: 5\r\nTransfer-Encoding: chunked`, `${chunks}${kept}`),
      post(`Transfer-Encoding: chunked\r\nContent-Length: ${String(chunks.length)}`, `${chunks}${kept}`),
    ],
    statuses: [400],
  },
  {
    section: '9112 6.1',
    must: 'close after HTTP/1.0 with Transfer-Encoding',
    sent: [
      `GET /livez HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${kept}`,
    ],
    statuses: [200],
  },
  {
    section: '9112 6.1',
    must: 'send no Transfer-Encoding with 1xx and 204',
    sent: [
      post(
        `Expect: 100-continue\r\n${length}`,
        `${body}DELETE /things/1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer me\r\nConnection: close\r\n\r\n`,
      ),
    ],
    statuses: [100, 200, 204],
    notReceived: /transfer-encoding/i,
  },
  {
    section: '9112 6.1',
    must: 'send no Transfer-Encoding to HTTP/1.0',
    sent: [
      'GET /many HTTP/1.0\r\nAuthorization: Bearer me\r\n\r\n',
      'GET /docs/static/swagger-ui-bundle.js HTTP/1.0\r\n\r\n',
    ],
    statuses: [200],
    notReceived: /\r\ntransfer-encoding:/i,
  },
  {
    section: '9112 6.2',
    must: 'send no Content-Length with Transfer-Encoding',
    sent: ['GET /many HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer me\r\nConnection: close\r\n\r\n'],
    statuses: [200],
    notReceived: /content-length: [^]*transfer-encoding: |transfer-encoding: [^]*content-length: /i,
  },
  {
    section: '9112 6.3',
    must: 'refuse Transfer-Encoding that does not end in chunked, and close',
    sent: [
      'gzip',
      'identity',
      'chunked, gzip',
      'xchunked',
      'chunked;',
      '"chunked"',
      '\x0bchunked',
      'chunked, identity',
    ].map((coding) => post(`Transfer-Encoding: ${coding}`, chunks + kept)),
    statuses: [400],
  },
  {
    section: '9112 6.3',
    must: 'refuse chunked that is applied twice, and close',
    sent: ['chunked, chunked', 'chunked\r\nTransfer-Encoding: chunked'].map((coding) =>
      post(`Transfer-Encoding: ${coding}`, chunks + kept),
    ),
    statuses: [400],
  },
  {
    section: '9112 6.3',
    must: 'refuse an invalid Content-Length, and close',
    sent: ['-1', '+2', '0x2', '2.0', '2 2', '2x', '1_0', '', '2,', '99999999999999999999999999'].map((length) =>
      post(`Content-Length: ${length}`, `{}${kept}`),
    ),
    statuses: [400],
  },
  {
    section: '9112 6.3',
    must: 'refuse different values of Content-Length, and close',
    sent: ['2\r\nContent-Length: 3', '2, 3'].map((length) => post(`Content-Length: ${length}`, `{} ${kept}`)),
    statuses: [400],
  },
  {
    section: '9112 6.3',
    must: 'take content that ends early to be incomplete, and close',
    sent: [post('Content-Length: 50', body), post('Transfer-Encoding: chunked', `13\r\n${body}\r\n`)],
    ends: true,
    statuses: [400],
  },
  {
    section: '9112 6.3',
    must: 'take a request without both fields to have no content',
    sent: [`${kept}${last}`],
    statuses: [200, 200],
  },
  {
    section: '9112 7.1',
    must: 'refuse an invalid chunk, and close',
    sent: [
      'x\r\n',
      '-1\r\n',
      '0x2\r\n{}\r\n0\r\n\r\n',
      '2 \r\n{}\r\n0\r\n\r\n',
      '2\r\n{}x\r\n0\r\n\r\n',
      '2\n{}\r\n0\r\n\r\n',
      '2\r\n{}0\r\n\r\n',
      ';a\r\n{}\r\n0\r\n\r\n',
    ].map((coded) => post('Transfer-Encoding: chunked', coded)),
    statuses: [400],
  },
  {
    section: '9112 7.1',
    must: 'refuse a chunk size that overflows',
    sent: ['10000000000000002', 'FFFFFFFFFFFFFFFFFFFF'].map((size) =>
      post('Transfer-Encoding: chunked', `${size}\r\n{}\r\n0\r\n\r\n`),
    ),
    statuses: [400],
  },
  {
    section: '9112 7.1.1',
    must: 'ignore chunk extensions',
    sent: [post('Transfer-Encoding: chunked\r\nConnection: close', `13;a;b=c;d="e;f"\r\n${body}\r\n0;g\r\n\r\n`)],
    statuses: [200],
  },
  {
    section: '9112 7.1.1',
    must: 'limit chunk extensions',
    sent: [post('Transfer-Encoding: chunked', `13;${'a'.repeat(20_000)}\r\n${body}\r\n0\r\n\r\n`)],
    statuses: [400],
  },
  {
    section: '9112 7.1.2',
    must: 'merge no trailer field into the header section',
    sent: [
      post(
        'Transfer-Encoding: chunked\r\nTrailer: X-Request-Id\r\nConnection: close',
        `13\r\n${body}\r\n0\r\nX-Request-Id: merged\r\nAuthorization: Bearer x\r\nHost: b\r\n\r\n`,
      ),
    ],
    statuses: [200],
    notReceived: /merged/,
  },
  {
    section: '9112 11.2',
    must: 'take the bytes behind a message to be the next request',
    sent: [
      `${post('Content-Length: 0', '')}${last}`,
      `GET /livez HTTP/1.1\r\nHost: a\r\nContent-Length: ${String(kept.length)}\r\n\r\n` +
        `${kept}GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    ],
    statuses: [],
    received: /^HTTP\/1\.1 (?:400[^]*HTTP\/1\.1 200|200[^]*HTTP\/1\.1 404) (?![^]*HTTP\/1\.1)/,
  },
  // RFC 9112, section 9, and RFC 9110.
  {
    section: '9112 9.3',
    must: 'keep an HTTP/1.1 connection, and close after HTTP/1.0',
    sent: [`${kept}GET /livez HTTP/1.0\r\n\r\n${kept}`],
    statuses: [200, 200],
  },
  {
    section: '9112 9.3',
    must: 'read the whole content of a refused request, or close',
    sent: [
      `POST /things HTTP/1.1\r\nHost: a\r\n${length}\r\n\r\n${body}${last}`,
      `POST /things HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n13\r\n${body}\r\n0\r\n\r\n${last}`,
    ],
    statuses: [401, 200],
  },
  {
    section: '9112 9.3.2',
    must: 'answer in the order of the requests',
    sent: [
      `GET /many HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer me\r\n\r\n${kept}GET /nothing HTTP/1.1\r\n` +
        'Host: a\r\n\r\nGET /docs/static/swagger-ui.css HTTP/1.1\r\nHost: a\r\n\r\n' +
        `${post(length, body)}CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n`,
    ],
    statuses: [200, 200, 404, 200, 200, 404],
  },
  {
    section: '9112 9.6',
    must: 'close after Connection: close, and process nothing behind it',
    sent: [`${last}${kept}`, `GET /livez HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n${kept}`],
    statuses: [200],
    received: /\r\nconnection: close\r\n/i,
  },
  {
    section: '9112 9.6',
    must: 'close in stages, so that the last answer can be read',
    sent: [last + 'x'.repeat(8_000_000)],
    statuses: [200],
  },
  {
    section: '9110 6.6.1',
    must: 'send Date with 2xx, 3xx and 4xx',
    sent: [`${kept}GET /docs/json HTTP/1.1\r\nHost: a\r\n\r\ngarbage\r\n\r\n`],
    statuses: [200, 302, 400],
    received: /^(?:HTTP\/1\.1 \d{3} [^]*?\r\ndate: \w{3}, \d{2} \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n[^]*?){3}$/i,
  },
  {
    section: '9110 7.8',
    must: 'ignore Upgrade to what this server does not speak',
    sent: ['websocket', 'h2c', 'HTTP/2.0, TLS/1.0'].flatMap((protocol) =>
      ['Upgrade, close', 'Upgrade'].map(
        (options) => `GET /livez HTTP/1.1\r\nHost: a\r\nConnection: ${options}\r\nUpgrade: ${protocol}\r\n\r\n${kept}`,
      ),
    ),
    statuses: [200],
    notReceived: / 101 /,
  },
  {
    section: '9110 7.8',
    must: 'ignore Upgrade in HTTP/1.0',
    sent: ['GET /livez HTTP/1.0\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
    statuses: [200],
  },
  {
    section: '9110 8.6',
    must: 'send no Content-Length with 204',
    sent: [
      `${post(length, body)}DELETE /things/1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer me\r\n` +
        'Connection: close\r\n\r\n',
    ],
    statuses: [200, 204],
    notReceived: /204 No Content[^]*content-length/i,
  },
  {
    section: '9110 9.1',
    must: 'support GET and HEAD',
    sent: ['GET', 'HEAD'].map((method) => last.replace('GET', method)),
    statuses: [200],
  },
  {
    section: '9110 9.3.2',
    must: 'send no content with HEAD',
    sent: ['/livez', '/nothing', '/openapi.json', '/docs/static/swagger-ui.css'].map(
      (path) => `HEAD ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    ),
    statuses: [],
    received: /^[^]*?\r\n\r\n$/,
    notReceived: /\r\n\r\n[^]/,
  },
  {
    section: '9110 9.3.6',
    must: 'open no tunnel with CONNECT',
    sent: [`CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n${kept}`],
    statuses: [404],
  },
  {
    section: '9110 10.1.1',
    must: 'answer Expect: 100-continue with 100 or a final status, without waiting',
    sent: [post(`${length}\r\nExpect: 100-continue\r\nConnection: close`, body)],
    statuses: [100, 200],
  },
  {
    section: '9110 10.1.1',
    must: 'refuse before the content where the header section is enough',
    sent: [`POST /things HTTP/1.1\r\nHost: a\r\n${length}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`],
    statuses: [401],
  },
  {
    section: '9110 10.1.1',
    must: 'ignore Expect: 100-continue in HTTP/1.0',
    sent: [post(`${length}\r\nExpect: 100-continue`, body).replace('HTTP/1.1', 'HTTP/1.0')],
    statuses: [200],
    notReceived: / 100 /,
  },
  {
    section: '9110 11.6.1',
    must: 'send WWW-Authenticate with 401',
    sent: [
      'GET /things HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
      'GET /things HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\nConnection: close\r\n\r\n',
    ],
    statuses: [401],
    received: /\r\nwww-authenticate: Bearer /i,
  },
  {
    section: '9110 13.2.1',
    must: 'send no content with 304',
    sent: ['GET /docs/static/swagger-ui.css HTTP/1.1\r\nHost: a\r\nIf-None-Match: *\r\nConnection: close\r\n\r\n'],
    statuses: [],
    received: /^HTTP\/1\.1 (?:304 (?![^]*\r\n\r\n[^])|200 )/,
  },
  {
    section: '9110 15.2',
    must: 'send no 1xx to HTTP/1.0',
    sent: [post(`${length}\r\nExpect: 100-continue`, body).replace('HTTP/1.1', 'HTTP/1.0')],
    statuses: [200],
  },
  {
    section: '9110 15.5.6',
    must: 'send Allow with 405',
    sent: ['PUT /things HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
    statuses: [405],
    received: /\r\nallow: GET, HEAD, POST\r\n/i,
  },
]
