import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler, onSendHookHandler } from 'fastify'

/**
 * The headers of every response. Caches do not store it (RFC 9111, section 5.2.2.5), and browsers do not guess its media
 * type (fetch.spec.whatwg.org, "X-Content-Type-Options").
 */
export const constantHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const
const { 'cache-control': noStore, 'x-content-type-options': noSniff } = constantHeaders

/** Sets the headers of every response, for hooks that run before those of the contract and respond by themselves. */
export const commonHeaders: onRequestHookHandler = (request, reply, done) => {
  setCommonHeaders(request, reply)
  done()
}

/** Sets the headers of every response. A hook before may have said how long caches keep it. */
export function setCommonHeaders({ id }: FastifyRequest, reply: FastifyReply): void {
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', noStore)
  reply.header('x-content-type-options', noSniff).header('x-request-id', id)
}

/** Removes the length of a response that must not have one (RFC 9110, section 8.6). */
const omitLength: onSendHookHandler = (_request, reply, payload, done) => {
  if (reply.statusCode === 204 || reply.statusCode === 304) reply.removeHeader('content-length')
  done(null, payload)
}

/**
 * Applies `omitLength` to responses to HEAD. Fastify sets a length of 0 if a handler sends nothing.
 *
 * @param app the server, before its routes
 */
export function omitLengthOfHead(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const hooks = [route.onSend ?? []].flat()
    // The context around may have added it.
    if (route.method === 'HEAD' && !hooks.includes(omitLength)) route.onSend = [...hooks, omitLength]
  })
}

/** Adds names to the Vary header (RFC 9110, section 12.5.5), and keeps those that it has. */
export function addVary(reply: FastifyReply, fields: string): void {
  const others = reply.getHeader('vary')
  reply.header('vary', others === undefined ? fields : `${String(others)}, ${fields}`)
}
