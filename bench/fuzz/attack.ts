import type { Random } from '../lab/random.ts'
import { lastRequests, methods } from './requests.ts'

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
