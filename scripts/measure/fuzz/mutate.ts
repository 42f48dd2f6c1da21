import type { Random } from './random.ts'

/** Texts that parsers often read wrongly. */
const awkward = [
  '\r\n',
  '\n',
  '\r\n\r\n',
  '\0',
  '%',
  '%00',
  '%ff',
  '..',
  '//',
  '"',
  '{',
  '[',
  '\\u',
  '\\ud800',
  '\ufeff',
  '1e999',
  '-0',
  '18446744073709551616',
  ': ',
  'Transfer-Encoding: chunked\r\n',
  'Content-Length: 5\r\n',
  'Host: b\r\n',
  'Content-Encoding: gzip\r\n',
  'Upgrade: h2c\r\n',
  'Expect: 100-continue\r\n',
  'Connection: close\r\n',
  'Range: bytes=9-\r\n',
  '?',
  '#',
  '__proto__',
  'constructor',
].map((text) => Buffer.from(text))

/** Takes one of the texts and changes it in one to three places: a byte, or a piece of several bytes. */
export function mutate(corpus: readonly Buffer[], { below, one }: Random): Buffer {
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
    // The last two leave little of the text, so they are drawn less often.
    const kind = below(changed.length * 4)
    bytes = Buffer.concat(changed[kind < changed.length ? kind : kind % 7]!())
  }
  return bytes
}
