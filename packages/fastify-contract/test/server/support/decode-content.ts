import { Readable, type Transform } from 'node:stream'
import { constants, createGunzip, createZstdDecompress } from 'node:zlib'
import type { preParsingHookHandler } from 'fastify'
import { Refusal } from 'fastify-contract'

const decoders = new Map<string, () => Transform>([
  ['gzip', () => createGunzip()],
  // The window of a client takes memory: RFC 9659 allows 8 MiB.
  ['zstd', () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: 23 } })],
])

/** Decodes the bodies of requests. */
export const decodeContent: preParsingHookHandler = (request, _reply, payload, done) => {
  const coding = request.headers['content-encoding']?.toLowerCase()
  if (coding === undefined) {
    done(null, payload)
    return
  }
  const createDecoder = decoders.get(coding)
  if (createDecoder === undefined) {
    const accepted = { 'Accept-Encoding': [...decoders.keys()].join(', ') }
    throw new Refusal('unsupported_media_type', 'Content-Encoding must be gzip or zstd', accepted)
  }
  async function* decode(create: () => Transform) {
    try {
      payload.on('data', (chunk: Buffer) => (decoded.receivedEncodedLength += chunk.length))
      yield* payload.pipe(create())
    } catch {
      throw new Refusal('malformed_body', `the body cannot be decoded by ${String(coding)}`)
    }
  }
  // The library compares this with Content-Length. Both lengths are bounded by the limit of a body.
  const decoded = Object.assign(Readable.from(decode(createDecoder)), { receivedEncodedLength: 0 })
  delete request.headers['content-encoding']
  done(null, decoded)
}
