import type { FastifyInstance, FastifyRequest } from 'fastify'
import { contractMethods } from '../contract/document.ts'
import { type Failure, failure } from '../contract/errors.ts'
import { fieldValues } from './raw-headers.ts'
import type { Stage } from './stage.ts'

export const noSuchPath: Failure = failure('path_not_found', 'there is no such path')

/** Refuses what HTTP forbids but Node's parser accepts. */
export const refuseMalformed: Stage = ({ raw: { httpVersion, rawHeaders, headers } }) => {
  const hosts = fieldValues(rawHeaders, 'host')
  // RFC 9112, section 3.2. Node answers none with an empty body, and accepts two.
  if (hosts.length > 1 || (hosts.length === 0 && httpVersion === '1.1')) {
    return failure('malformed_http', 'an HTTP/1.1 request has the header Host once')
  }
  if (!hosts.every((host) => validHost.test(host))) {
    return failure('malformed_http', 'Host is a host and, where there is one, a port')
  }
  const coding = headers['transfer-encoding']
  // RFC 9112, section 6.1: a server refuses a transfer coding that it does not decode.
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    return failure('malformed_http', 'the only Transfer-Encoding is chunked')
  }
  return undefined
}

/** `uri-host [ ":" port ]` of RFC 9110, section 7.2. */
const validHost = /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i

/**
 * Makes the stage that refuses a request which no route of the server matches, before its credentials and its body are
 * read.
 */
export function refuseUnmatched(app: FastifyInstance): Stage {
  return (request) => {
    // `*` is the route by which the CORS plugin sees each OPTIONS; it answers preflights itself.
    if (!request.is404 && request.routeOptions.url !== '*') return undefined
    return malformedTarget(request) ?? unmatched(app, request)
  }
}

function malformedTarget({ originalUrl }: FastifyRequest): Failure | undefined {
  if (/^https?:\/\/(?:[/?]|$)/i.test(originalUrl)) return failure('malformed_http', 'the request target has no host')
  if (!isDecodable(originalUrl)) return failure('malformed_http', 'the percent-encoding of the path is broken')
  return undefined
}

function unmatched(app: FastifyInstance, { method, url }: FastifyRequest): Failure {
  const path = url.split('?', 1).join()
  const methods = contractMethods.map((each) => each.toUpperCase()).filter((each) => isRoute(app, each, path))
  if (methods.length === 0) return noSuchPath
  const allow = methods.sort().join(', ')
  return failure('method_not_allowed', `this path has no ${method}, only ${allow}`, { Allow: allow })
}

function isRoute(app: FastifyInstance, method: string, url: string): boolean {
  // Fastify's types lack the case of no such route.
  const route = app.findRoute({ method, url }) as { params: Record<string, unknown> } | null
  return route !== null && !(method === 'OPTIONS' && '*' in route.params)
}

/** Replaces a target that the router cannot read. No route matches it, so the request is refused. */
const unreadable = '/%20'

/**
 * Returns the path and query of a request target for the router.
 *
 * @param target in origin form or in absolute form (RFC 9112, section 3.2.2)
 */
export function routedUrl(target: string): string {
  const url = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]+\/?/i, '/')
  // `*` is the target of OPTIONS for a server as a whole (RFC 9112, section 3.2.4).
  return (url.startsWith('/') || url === '*') && isDecodable(url) ? url : unreadable
}

function isDecodable(url: string): boolean {
  if (!url.includes('%')) return true
  try {
    // The router decodes the part before the first of these.
    decodeURI(url.split(/[?#]/, 1).join())
    return true
  } catch {
    return false
  }
}
