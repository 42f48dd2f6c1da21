import { type Requirement, kept, last, post } from './requirement.ts'

const body = '{"id":2,"name":"a"}'
const length = `Content-Length: ${String(body.length)}`

/**
 * RFC 9112, section 9, and what RFC 9110 says of single methods, fields and status codes where it concerns where a
 * message ends.
 */
export const connections: readonly Requirement[] = [
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
      `${post(length, body)}DELETE /things/2 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer me\r\n` +
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
