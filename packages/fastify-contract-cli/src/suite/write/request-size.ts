import type { ContractOperation } from 'fastify-contract/document'
import type { ContractRequest } from '../ground/contract-request.ts'
import type { Json } from '../draw/json-value.ts'
import type { Part } from './part.ts'
import { type RequestParts, valuesIn, withValue } from './request-parts.ts'
import { writtenValue } from './written-value.ts'

/**
 * The bytes of a URL, and of all headers, of a request that says something of the contract: RFC 9110, section 4.1, asks
 * servers for 8,000, and Node's take 16 KiB of both.
 */
const maxBytes = 8_000
/** The bytes of its body. fastify-contract takes 64 KiB by default. */
const maxBodyBytes = 60_000

/** Whether a server takes a request as far as its size is concerned. */
export function hasUsualSize({ url, headers = {}, body = '' }: ContractRequest): boolean {
  const lines = Object.entries(headers).map(([name, value = '']) => `${name}: ${value}\r\n`)
  return url.length <= maxBytes && lines.join('').length <= maxBytes && Buffer.byteLength(body) <= maxBodyBytes
}

/**
 * Leaves optional parameters out of a request, until its URL and its headers are not too long. Its `way` chooses which.
 *
 * @param isKept whether a parameter must stay
 */
export function fitted(
  operation: ContractOperation,
  parts: RequestParts,
  isKept: (part: Part) => boolean,
): RequestParts {
  let whole = parts
  for (const places of [
    ['path', 'query', 'querystring'],
    ['header', 'cookie'],
  ] as const) {
    const sizes = valuesIn(parts, operation, places).map(([part, value]) => ({ part, bytes: bytesOf(part, value) }))
    let sum = sizes.reduce((before, { bytes }) => before + bytes, 0)
    const start = parts.way % (sizes.length + 1)
    for (const { part, bytes } of [...sizes.slice(start), ...sizes.slice(0, start)]) {
      // The rest is for the path itself, and for what every request has.
      if (sum <= 0.9 * maxBytes) break
      if (isKept(part)) continue
      whole = withValue(whole, part, undefined)
      sum -= bytes
    }
  }
  return whole
}

/** At most: a text has several spellings. */
function bytesOf(part: Part, value: Json): number {
  return part.name.length + writtenValue(value, part, part.isEncoded ? longestSpelling : String).length
}

/** As long as a text of which each byte is percent-encoded. */
function longestSpelling(text: string): string {
  return ' '.repeat(3 * Buffer.byteLength(text))
}
