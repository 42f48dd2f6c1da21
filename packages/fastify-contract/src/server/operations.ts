import type {
  FastifyInstance,
  RouteHandlerMethod,
  onRequestAsyncHookHandler,
  onRequestHookHandler,
  preParsingHookHandler,
} from 'fastify'
import type { Contract } from '../document/contract.ts'
import type { BoundOperation } from '../engine/engine.ts'
import { ItemStream } from '../engine/item-stream.ts'
import { sendAcceptQuery } from './accept-query.ts'
import { authOf } from './authentication.ts'
import { type BodyOptions, type ContentCheck, type TakeTurn, registerBodies } from './content.ts'
import type { FailureOf } from './failure-form.ts'
import { idForLog } from './id-for-log.ts'
import { readInput, received, served } from './operation-input.ts'
import { type RoutePath, routePathOf } from './route-path.ts'
import type { SendReply } from './send.ts'

export interface OperationsOptions extends BodyOptions {
  contract: Contract
  operations: BoundOperation[]
  /** The hooks that run before the body is read, in order. */
  onRequestOf: (
    operation: BoundOperation,
    parameters: RoutePath['parameters'],
  ) => (onRequestHookHandler | onRequestAsyncHookHandler)[]
  /** What is checked before the body is read, in order. */
  contentChecksOf: (operation: BoundOperation) => ContentCheck[]
  failureOf: FailureOf
  send: SendReply
}

/**
 * Registers a route for each operation.
 *
 * @param app a context of its own, because its body parsers accept only the operations' media types
 */
export function registerOperations(app: FastifyInstance, options: OperationsOptions): void {
  const { contract, operations, onRequestOf, contentChecksOf, takeTurn } = options
  registerBodies(
    app,
    operations.flatMap(({ bodyTypes }) => bodyTypes),
    options,
  )
  app.decorateRequest(received)
  for (const { method } of operations) addMethod(app, method.toUpperCase())
  for (const operation of operations) {
    const { id, tags, summary } = operation
    const { url, parameters } = routePathOf(operation.path)
    for (const basePath of operation.basePaths) {
      app.route({
        method: operation.method.toUpperCase(),
        url: routePathOf(basePath).url + url,
        config: { [served]: { operation, contract } },
        // Documentation alone, so that Fastify compiles nothing.
        schema: {
          operationId: id,
          ...(tags === undefined ? {} : { tags }),
          ...(summary === undefined ? {} : { summary }),
        },
        // Fastify derives HEAD from GET, unless the contract has HEAD.
        exposeHeadRoute: !operations.some(({ method, path }) => method === 'head' && path === operation.path),
        onRequest: [...sendAcceptQuery(operations, operation), ...onRequestOf(operation, parameters)],
        preParsing: checkInTurn(takeTurn, contentChecksOf(operation)),
        preValidation: readInput(operation, parameters),
        handler: handlerOf(operation, options),
      })
    }
  }
}

/** A method that Fastify knows keeps what the server says of its content. */
function addMethod(app: FastifyInstance, method: string): void {
  if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true })
}

/** Many requests may be authenticated at once. What follows takes a turn for each. */
function checkInTurn(takeTurn: TakeTurn, checks: readonly ContentCheck[]): preParsingHookHandler {
  return (request, reply, payload, done) => {
    takeTurn(0, () => {
      if (request.socket.destroyed) return
      try {
        for (const check of checks) check(request, reply)
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)))
        return
      }
      done(null, payload)
    })
  }
}

function handlerOf(
  { call }: BoundOperation,
  { failureOf, send }: Pick<OperationsOptions, 'failureOf' | 'send'>,
): RouteHandlerMethod {
  return async (request, reply) => {
    // Set by `readInput`.
    const valid = request[received]!
    valid.isHandled = true
    const context = { auth: authOf(request), request }
    const sent = await call(valid.input, context, failureOf, request.log)
    if (sent.undeclared !== undefined) request.log.error(idForLog(request), sent.undeclared)
    if (sent.body instanceof ItemStream) {
      sent.body.onUndeclared = (text) => {
        request.log.error(idForLog(request), text)
      }
    }
    send(reply, sent)
    // Fastify waits for a reply that is returned, but not for one that is sent.
    return reply.sent ? undefined : reply
  }
}
