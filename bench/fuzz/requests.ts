import { METHODS } from 'node:http'

/** Every method of HTTP that Node's parser knows, some that it knows for other protocols, and one that it does not. */
export const methods: readonly string[] = [...METHODS, 'PRI', 'ANNOUNCE', 'SETUP', 'FLUSH', 'BREW']

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
