import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { BoundOperation } from '../engine/engine.ts'
import { Refusal, noSuchPath } from '../engine/refusal.ts'
import type { RequestTarget } from '../engine/request-target.ts'
import { sendRefusal } from './error-handler.ts'
import type { FailureForm } from './failure-form.ts'
import { targetSplitterOf, textsOf } from './request-target.ts'
import { type RoutePath, escaped } from './route-path.ts'
import { setCommonHeaders } from './response-headers.ts'

/** The paths of a contract, and the form of its failures. */
export interface ServedPaths {
  /** Matches a path without repeated slashes to one of its paths, in any case, and with a trailing slash. */
  pattern: RegExp
  /** The path of its docs page; undefined without one. */
  page: string | undefined
  failureForm: FailureForm
}

const malformed = (fault: string): Refusal => new Refusal('malformed_http', fault)

/**
 * Makes the hook that refuses invalid HTTP and unmatched requests, before credentials and body are read, and sets the
 * headers of every response. It does not throw: a route that was added before the contract has the error handler of
 * Fastify. A browser that asks for `/` is sent to the docs page, if there is no such path. A 404 handler of the service
 * responds to unknown paths instead.
 *
 * @param host its contracts, and the form of other failures
 */
export function refuseRequests(
  app: FastifyInstance,
  { contracts, failureForm }: { contracts: readonly ServedPaths[]; failureForm: FailureForm },
): onRequestHookHandler {
  const splitTarget = targetSplitterOf(app)
  return (request, reply, done) => {
    setCommonHeaders(request, reply)
    const fault = faultOf(request)
    // `*` is the OPTIONS route of @fastify/cors, which responds to preflights before this hook. Fastify makes
    // `routeOptions` anew each time.
    const isUnmatched = request.is404 || (request.method === 'OPTIONS' && request.routeOptions.url === '*')
    if (fault === undefined && !isUnmatched) {
      done()
      return
    }
    const target = splitTarget(request.url)
    const page = contracts.find((contract) => contract.page !== undefined)?.page
    const refusal = fault ?? unmatched(app, request, target, page)
    if (refusal.failure === 'path_not_found' && hasOwnNotFoundHandler(request)) done()
    // Relative, because a proxy may add a prefix.
    else if (page !== undefined && refusal.failure === 'path_not_found' && isBrowserAtRoot(request, target)) {
      void reply.redirect(`.${page}`)
    } else void sendRefusal(request, reply, refusal, ownerOf(target, contracts)?.failureForm ?? failureForm)
  }
}

/**
 * Makes the hook that refuses invalid HTTP on the routes of a contract, and sets the headers of their responses, on a server
 * that was not created with `fastifyOptions`.
 */
export const refuseMalformed: onRequestHookHandler = (request, reply, done) => {
  setCommonHeaders(request, reply)
  const fault = faultOf(request)
  if (fault !== undefined) throw fault
  done()
}

/** The contract to which the path of a request belongs. */
function ownerOf({ path }: RequestTarget, contracts: readonly ServedPaths[]): ServedPaths | undefined {
  const once = onceSlashed(decodeURI(path))
  return contracts.find(({ pattern }) => pattern.test(once))
}

/** A path without the repeated slashes that a router may ignore. */
export function onceSlashed(path: string): string {
  return path.replaceAll(/\/{2,}/g, '/')
}

function isBrowserAtRoot({ method, headers: { accept = '' } }: FastifyRequest, { path }: RequestTarget): boolean {
  return (method === 'GET' || method === 'HEAD') && path === '/' && /\btext\/html\b/i.test(accept)
}

/** Whether the author of a server has set the handler of a request that no route matches. */
function hasOwnNotFoundHandler({ is404, routeOptions: { handler } }: FastifyRequest): boolean {
  return is404 && handler.name !== 'basic404'
}

/** The refusal of invalid HTTP. A `rewriteUrl` of the service may have replaced the target. */
function faultOf({ raw, originalUrl, url }: FastifyRequest): Refusal | undefined {
  const { host, 'transfer-encoding': coding } = raw.headers
  // RFC 9112, section 3.2. Node joins duplicates; its own response to a missing Host has no body.
  if (host === undefined ? raw.httpVersion === '1.1' : host.includes(', ')) {
    return malformed('an HTTP/1.1 request must have exactly one Host header')
  }
  if (host !== undefined && host !== lastHost) {
    if (!validHost.test(host)) return malformed('the Host header must be a host with an optional port')
    lastHost = host
  }
  // RFC 9112, section 6.1: a server refuses an unsupported transfer coding.
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return malformed('Transfer-Encoding must be chunked')
  // RFC 9112, section 3.2.4. The router would read it as `/`.
  if (originalUrl === '*' && raw.method !== 'OPTIONS') return malformed('the request target * is for OPTIONS alone')
  const fault = faultOfTarget(originalUrl) ?? (url === originalUrl ? undefined : faultOfTarget(url))
  return fault === undefined ? undefined : malformed(fault)
}

/** `uri-host [ ":" port ]` of RFC 9110, section 7.2. */
const hostAndPort = "(?:\\[[\\da-f:.]+\\]|(?:[\\w.~!$&'()*+,;=-]|%[\\da-f]{2})*)(?::\\d*)?"
const validHost = new RegExp(`^${hostAndPort}$`, 'i')

/** A valid one. Most requests have the same. */
let lastHost: string | undefined

/** The part of an absolute-form target before its path, with a host that is not empty (RFC 9110, section 4.2.1). */
const absoluteForm = new RegExp(`^https?://(?!:)(?=[^/?])${hostAndPort}(?:/|(?=\\?)|$)`, 'i')

/** Describes why a target is invalid (RFC 9112, section 3.2). The router itself accepts most of these. */
function faultOfTarget(target: string): string | undefined {
  if (target.includes('#')) return 'the request target contains a fragment; write # as %23'
  if (!target.startsWith('/') && /^https?:/i.test(target) && !absoluteForm.test(target))
    return 'the host of the request target is invalid'
  if (!target.includes('%')) return undefined
  try {
    decodeURI(target)
    return undefined
  } catch {
    return 'the percent-encoding of the path or query is invalid or not UTF-8'
  }
}

/** A path that matches no route; replaces targets that the router cannot decode. */
const unroutable = '/%20'

/** The path and query for the router, from a target in origin form or in absolute form (RFC 9112, section 3.2.2). */
export function routedUrl({ url: target = '/' }: Pick<IncomingMessage, 'url'>): string {
  const url = target.startsWith('/') ? target : target.replace(absoluteForm, '/')
  // `*` is the target of a server-wide OPTIONS (RFC 9112, section 3.2.4).
  return (url.startsWith('/') || url === '*') && faultOfTarget(target) === undefined ? url : unroutable
}

function unmatched(app: FastifyInstance, { method }: FastifyRequest, target: RequestTarget, page?: string): Refusal {
  const methods = methodsOf(app, target)
  if (methods.length === 0) return noSuchPath(page)
  const allow = methods.sort().join(', ')
  return new Refusal('method_not_allowed', `${method} is not allowed on this path; allowed: ${allow}`, { Allow: allow })
}

/**
 * Makes the hook that answers a wrong method on the path of an operation, on a server that was not created with
 * `fastifyOptions`. Other paths keep their 404.
 */
export function refuseMethods(
  app: FastifyInstance,
  { contracts }: { contracts: readonly ServedPaths[] },
): onRequestHookHandler {
  const splitTarget = targetSplitterOf(app)
  return (request, reply, done) => {
    const target = request.is404 ? splitTarget(request.url) : undefined
    const owner = target === undefined ? undefined : ownerOf(target, contracts)
    if (target === undefined || owner === undefined) {
      done()
      return
    }
    const refusal = faultOf(request) ?? unmatched(app, request, target)
    // The pattern is wider than the routes, unless the router ignores case and trailing slashes.
    if (refusal.failure === 'path_not_found') done()
    else void sendRefusal(request, reply, refusal, owner.failureForm)
  }
}

/**
 * Makes the hook that refuses a path with an empty parameter, such as `/plants/`, which the router takes.
 *
 * @param isWhole whether the library answers 404, and not the server
 */
export function refuseEmptyParameters(parameters: RoutePath['parameters'], isWhole: boolean): onRequestHookHandler[] {
  if (parameters.length === 0) return []
  return [
    (request, reply, done) => {
      const { params } = textsOf(request)
      if (!parameters.some(({ inRoute }) => params[inRoute] === '')) done()
      else if (isWhole) throw noSuchPath()
      else reply.callNotFound()
    },
  ]
}

/**
 * Makes the hook that refuses a request to a path template if a more concrete path also matches but lacks the method
 * (OpenAPI 3.1, section 4.8.8.2).
 *
 * @returns no hook if no path is more concrete than this one
 */
export function refuseLessConcrete(
  app: FastifyInstance,
  operations: readonly Pick<BoundOperation, 'path'>[],
  { path }: Pick<BoundOperation, 'path'>,
): onRequestHookHandler[] {
  // A contract may have a thousand paths, each of which is compared with all.
  const segments = path.split('/').map((segment) => (segment.includes('{') ? '[^/]*' : escaped(segment)))
  const template = new RegExp(`^${segments.join('/')}$`)
  if (!operations.some((other) => other.path !== path && template.test(other.path))) return []
  const splitTarget = targetSplitterOf(app)
  return [
    (request, _reply, done) => {
      const target = splitTarget(request.url)
      if (!methodsOf(app, target).includes(request.method)) throw unmatched(app, request, target)
      done()
    },
  ]
}

/** The methods of the most concrete routes that a target matches. */
function methodsOf(app: FastifyInstance, { path }: RequestTarget): string[] {
  // The router would decode it for each method. Here an escape of `%` must stay one.
  const url = path.includes('%25') ? path : decodeURI(path)
  const routes = app.supportedMethods.flatMap((method) => {
    // Fastify's type omits the null of a missing route.
    const route = app.findRoute({ method, url }) as { params: Record<string, unknown> } | null
    if (route === null) return []
    const texts = Object.entries(route.params)
    const isPreflightRoute = method === 'OPTIONS' && '*' in route.params
    const isEmpty = texts.some(([name, text]) => text === '' && name !== '*')
    return isPreflightRoute || isEmpty ? [] : [{ method, parameters: texts.length }]
  })
  const fewest = Math.min(...routes.map(({ parameters }) => parameters))
  return routes.filter(({ parameters }) => parameters === fewest).map(({ method }) => method)
}
