import { type Requirement, kept, last, withFields } from './requirement.ts'

/** RFC 9112, sections 2 to 5, and what RFC 9110 says of fields. */
export const messages: readonly Requirement[] = [
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
    received: /the header Host once/,
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
]
