/** Gives numbers from 0 up to and without 1, always the same for a seed: mulberry32. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Good requests of every kind, as bytes. */
export function goodRequests(token: string): Buffer[] {
  const fields = `Host: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n`
  const post = (body: string, more = '') => `POST /plants HTTP/1.1\r\n${fields}${more}Content-Type: application/json\r\nContent-Length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`
  return [
    `GET /plants HTTP/1.1\r\n${fields}\r\n`,
    `GET /plants?limit=20 HTTP/1.1\r\n${fields}X-Request-Id: fuzz\r\n\r\n`,
    `HEAD /plants?limit=0 HTTP/1.1\r\n${fields}Connection: close\r\n\r\n`,
    post('{"id":54,"name":"Monstera deliciosa","tag":"indoor"}'),
    post('{"id":9007199254740993,"name":"\\ud83c\\udf31 \u{1f331}"}'),
    post('{"id":-54.0e0,"name":"Aloe vera","more":[{"a":null},true,1e400]}', 'Expect: 100-continue\r\n'),
    `POST /plants HTTP/1.1\r\n${fields}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{"id":55,\r\nb\r\n"name":"a"}\r\n0\r\n\r\n`,
    `DELETE /plants/54 HTTP/1.1\r\n${fields}\r\n`,
    `DELETE /plants/-9223372036854775808 HTTP/1.1\r\n${fields}Content-Type: application/json\r\n\r\n`,
    `DELETE /plants/%35%35 HTTP/1.0\r\n${fields}\r\n`,
    `GET /readyz HTTP/1.1\r\nHost: a\r\n\r\nGET /livez HTTP/1.1\r\nHost: a\r\n\r\n`,
    `GET /docs/ HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\nRange: bytes=0-9\r\nIf-None-Match: "a"\r\n\r\n`,
    `GET http://127.0.0.1/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n`,
    `OPTIONS /plants HTTP/1.1\r\n${fields}Origin: http://a\r\nAccess-Control-Request-Method: POST\r\n\r\n`,
  ].map((text) => Buffer.from(text))
}

/** Texts that parsers are known to stumble over. */
const awkward = ['\r\n', '\n', '\r\n\r\n', '\0', '%', '%00', '%ff', '..', '//', '"', '{', '[', '\\u', '\\ud800', '\ufeff', '1e999', '-0', '18446744073709551616', ': ', 'Transfer-Encoding: chunked\r\n', 'Content-Length: 5\r\n', 'Host: b\r\n', 'Content-Encoding: gzip\r\n', 'Upgrade: h2c\r\n', '?', '#', '__proto__', 'constructor'].map((text) => Buffer.from(text))

/** Changes one to three places of a request, byte by byte or in pieces. */
export function mutate(corpus: Buffer[], random: () => number): Buffer {
  const below = (limit: number) => Math.floor(random() * limit)
  const one = (buffers: Buffer[]) => buffers[below(buffers.length)]!
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
    // The last two are rarer: they leave little of the rest.
    const kind = below(changed.length * 4)
    bytes = Buffer.concat(changed[kind < changed.length ? kind : kind % 7]!())
  }
  return bytes
}
