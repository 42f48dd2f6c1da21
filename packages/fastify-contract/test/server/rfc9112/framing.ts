import { type Requirement, kept, last, post } from './requirement.ts'

const body = '{"id":1,"name":"a"}'
const chunks = `13\r\n${body}\r\n0\r\n\r\n`

/** RFC 9112, sections 6, 7 and 11. */
export const framing: readonly Requirement[] = [
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
        `Expect: 100-continue\r\nContent-Length: ${String(body.length)}`,
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
]
