import { queryPairs, simple, wholeQuery } from './parameters.ts'
import type { ContractRequest } from '../ground/contract-request.ts'
import type { ParameterValue } from './parameters.ts'

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
 * Leaves optional parameters out of a request, until its URL and its headers are not too long.
 *
 * @param isKept whether a value must stay
 * @param way chooses which are left out
 */
export function fitted(
  parameters: readonly ParameterValue[],
  isKept: (value: ParameterValue) => boolean,
  way: number,
): ParameterValue[] {
  const sizes = new Map(parameters.map((each) => [each, bytesOf(each)]))
  const left = new Set(parameters)
  const isOfUrl = ([{ in: place }]: ParameterValue) => /^(?:path|query|querystring)$/.test(place)
  for (const inUrl of [true, false]) {
    const alike = parameters.filter((each) => isOfUrl(each) === inUrl)
    let bytes = alike.reduce((sum, each) => sum + (sizes.get(each) ?? 0), 0)
    const start = way % (alike.length + 1)
    for (const each of [...alike.slice(start), ...alike.slice(0, start)]) {
      // The rest is for the path itself, and for what every request has.
      if (bytes <= 0.9 * maxBytes) break
      if (each[0].required === true || isKept(each)) continue
      left.delete(each)
      bytes -= sizes.get(each) ?? 0
    }
  }
  return [...left]
}

/** At most: a text has several spellings. */
function bytesOf([parameter, value]: ParameterValue): number {
  if (parameter.in === 'query') return queryPairs(parameter, value, longestSpelling).join('&').length
  if (parameter.in === 'querystring') return wholeQuery(parameter, value, longestSpelling).length
  return parameter.name.length + simple(parameter, value, parameter.in === 'path' ? longestSpelling : String).length
}

/** As long as a text of which each byte is percent-encoded. */
function longestSpelling(text: string): string {
  return ' '.repeat(3 * Buffer.byteLength(text))
}
