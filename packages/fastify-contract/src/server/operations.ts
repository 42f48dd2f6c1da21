import type { FastifyInstance, RouteHandlerMethod, onRequestAsyncHookHandler, onRequestHookHandler } from 'fastify'
import type { BoundOperation } from '../engine/engine.ts'
import { type BodyReader, registerBodies } from './content.ts'
import { Refusal } from '../engine/refusal.ts'
import { type SendReply, addVary } from './send.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: BoundOperation
  }
}

export interface OperationsOptions {
  operations: BoundOperation[]
  /** The paths below which the operations are served: `` for the root. */
  basePaths: string[]
  /** The hooks that a request of an operation passes before its body is read, in their order. */
  onRequestOf: (operation: BoundOperation) => (onRequestHookHandler | onRequestAsyncHookHandler)[]
  readBody: BodyReader
  send: SendReply
}

/**
 * Gives every operation of the contract its route.
 *
 * @param app a context of its own: its body parsers accept what the operations take, and nothing else
 */
export function registerOperations(app: FastifyInstance, options: OperationsOptions): void {
  const { operations, basePaths, onRequestOf } = options
  registerBodies(
    app,
    operations.flatMap(({ bodyTypes }) => bodyTypes),
  )
  for (const operation of operations) {
    const names: string[] = []
    const path = routePath(operation.path, names)
    for (const basePath of basePaths) {
      app.route({
        method: operation.method.toUpperCase(),
        url: routePath(basePath) + path,
        config: { operation },
        // Fastify answers HEAD as GET where the contract does not.
        exposeHeadRoute: !operations.some(({ method, path }) => method === 'head' && path === operation.path),
        onRequest: onRequestOf(operation),
        handler: handlerOf(operation, names, options),
      })
    }
  }
}

/**
 * `/plants/{id}` as `/plants/:p0([^]+)`: a contract may name a parameter as it likes, a Fastify route may not.
 * The expression matches any text but the empty one, so that `/plants/` is no path.
 */
function routePath(path: string, names: string[] = []): string {
  return path.replace(/\{([^{}]+)\}|:/g, (_match, name: string | undefined) =>
    name === undefined ? '::' : `:p${String(names.push(name) - 1)}([^]+)`,
  )
}

function handlerOf(
  { requiresBody, offeredTypes, handle }: BoundOperation,
  names: string[],
  { readBody, send }: OperationsOptions,
): RouteHandlerMethod {
  return async (request, reply) => {
    const { caller, headers, query, url } = request
    // registerBodies has read it.
    const bytes = request.body as Buffer | undefined
    if (requiresBody && bytes === undefined) throw new Refusal('malformed_body', 'the body is empty')
    const body = bytes === undefined ? undefined : readBody(bytes)
    // Fastify's route has as many parameters as the path template has names, each of them text.
    const params = request.params as Record<string, string>
    const path = Object.fromEntries(names.map((name, index) => [name, params[`p${String(index)}`] ?? '']))
    let accept: string | undefined
    if (offeredTypes.length > 1) {
      addVary(reply, 'Accept')
      accept = await preferredType(headers.accept, offeredTypes)
    }
    // Fastify's parser gives texts, and lists of them for a parameter that is repeated.
    const parts = { headers, path, query: query as Record<string, string | string[]>, url, body, accept, caller }
    const valid = await handle(parts)
    return send(reply, valid)
  }
}

/**
 * Selects the media type of a response by the header Accept (RFC 9110, section 12.5.1).
 *
 * @param offered the media types that the operation declares, the service's own preference first
 * @returns the one that the client prefers; the first where it accepts none, because a 406 helps nobody who asked for
 *   something else
 */
async function preferredType(accept: string | undefined, offered: string[]): Promise<string | undefined> {
  // What few contracts need is loaded where one does.
  const { default: Negotiator } = await import('negotiator')
  // Text is UTF-8 and JSON has no charset, so that one which is asked for selects nothing.
  const asked = accept?.replace(/;[ \t]*charset=(?:"[^"]*"|[^;,]*)/gi, '')
  return new Negotiator({ headers: { accept: asked } }).mediaTypes([...offered])[0] ?? offered[0]
}
