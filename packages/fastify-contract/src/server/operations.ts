import type {
  FastifyInstance,
  RouteHandlerMethod,
  onRequestAsyncHookHandler,
  onRequestHookHandler,
  preParsingHookHandler,
} from 'fastify'
import type { BoundOperation } from '../engine/engine.ts'
import { authOf } from './authentication.ts'
import { registerBodies } from './content.ts'
import { Refusal } from '../engine/refusal.ts'
import { type SendReply, addVary } from './send.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: BoundOperation
  }
}

export interface OperationsOptions {
  operations: BoundOperation[]
  /** The base paths of the operations; empty for the root. */
  basePaths: readonly string[]
  /** The hooks that run before the body is read, in order. */
  onRequestOf: (operation: BoundOperation) => (onRequestHookHandler | onRequestAsyncHookHandler)[]
  preParsingOf: (operation: BoundOperation) => preParsingHookHandler[]
  /** The maximum nesting depth of objects and arrays in a body. */
  bodyLevels: number
  send: SendReply
}

/**
 * Registers a route for each operation.
 *
 * @param app a context of its own, because its body parsers accept only the operations' media types
 */
export function registerOperations(app: FastifyInstance, options: OperationsOptions): void {
  const { operations, basePaths, onRequestOf, preParsingOf, bodyLevels } = options
  registerBodies(
    app,
    operations.flatMap(({ bodyTypes }) => bodyTypes),
    bodyLevels,
  )
  for (const operation of operations) {
    const names: string[] = []
    const path = routePath(operation.path, names)
    for (const basePath of basePaths) {
      app.route({
        method: operation.method.toUpperCase(),
        url: routePath(basePath) + path,
        config: { operation },
        // Fastify derives HEAD from GET, unless the contract has HEAD.
        exposeHeadRoute: !operations.some(({ method, path }) => method === 'head' && path === operation.path),
        onRequest: onRequestOf(operation),
        preParsing: preParsingOf(operation),
        handler: handlerOf(operation, names, options),
      })
    }
  }
}

/**
 * Turns `/plants/{id}` into `/plants/:p0([^]+)`: Fastify restricts the names of parameters, but a contract does not.
 * The expression excludes the empty text, so that `/plants/` does not match.
 */
function routePath(path: string, names: string[] = []): string {
  const segments = path.split('/').map((segment) => segment.split(/\{([^{}]+)\}/))
  return segments.map((parts) => parts.map((part, index) => routePart(part, index, parts, names)).join('')).join('/')
}

/** @param parts literals, with the name of a parameter between two */
function routePart(part: string, index: number, parts: string[], names: string[]): string {
  if (index % 2 === 0) return part.replaceAll(':', '::')
  const following = parts[index + 1] ?? ''
  // Ends at the first of these literals, so that no text takes long to match. The last parameter takes the rest.
  const isLast = following === '' || index === parts.length - 2
  const text = isLast ? '[^]+' : `(?:(?!${following.replaceAll(/[\\^$.*+?()[\]|-]/g, '\\$&')})[^])+`
  return `:p${String(names.push(part) - 1)}(${text})`
}

function handlerOf(
  { requiresBody, offeredTypes, handle }: BoundOperation,
  names: string[],
  { send }: OperationsOptions,
): RouteHandlerMethod {
  return async (request, reply) => {
    const { headers, query, url, content } = request
    if (requiresBody && request.body === undefined) throw new Refusal('malformed_body', 'the body is empty')
    const body = content === undefined || request.body === undefined ? undefined : { ...content, value: request.body }
    // The route has a text parameter for each name of the path template.
    const params = request.params as Record<string, string>
    const path = Object.fromEntries(names.map((name, index) => [name, params[`p${String(index)}`] ?? '']))
    let accept: string | undefined
    if (offeredTypes.length > 1) {
      addVary(reply, 'Accept')
      accept = await preferredType(headers.accept, offeredTypes)
    }
    // Fastify's parser returns a list for a repeated parameter.
    const texts = query as Record<string, string | string[]>
    const valid = await handle({ headers, path, query: texts, url, body, accept, auth: authOf(request), request })
    if (valid.undeclared !== undefined) request.log.error({ requestId: request.id }, valid.undeclared)
    return send(reply, valid)
  }
}

/**
 * Selects the media type of a response by the Accept header (RFC 9110, section 12.5.1).
 *
 * @param offered the declared media types, by preference of the service
 * @returns the client's preference; the first if it accepts none, which is more useful than a 406
 */
async function preferredType(accept: string | undefined, offered: string[]): Promise<string | undefined> {
  // Loaded on demand: few contracts need it.
  const { default: Negotiator } = await import('negotiator')
  // Ignores charsets: text is always UTF-8, and JSON has none.
  const asked = accept?.replace(/;[ \t]*charset=(?:"[^"]*"|[^;,]*)/gi, '')
  return new Negotiator({ headers: { accept: asked } }).mediaTypes([...offered])[0] ?? offered[0]
}
