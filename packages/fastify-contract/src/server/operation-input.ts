import type { ServerResponse } from 'node:http'
import type { FastifyRequest, preValidationHookHandler } from 'fastify'
import type { Contract } from '../document/contract.ts'
import type { BoundOperation, OperationInput } from '../engine/engine.ts'
import type { ContractTypes, Input } from '../types/handler-types.ts'
import { content, emptyBody } from './content.ts'
import { whenClosed } from './cut-off.ts'
import { textsOf } from './request-target.ts'
import type { RoutePath } from './route-path.ts'
import { addVary } from './response-headers.ts'

/** What is known of a request when it is valid. */
interface Received {
  input: OperationInput
  isHandled: boolean
  response: ServerResponse
  signal: AbortSignal | undefined
}

/** The name under which a request keeps it, for every copy of the library. */
export const received: unique symbol = Symbol.for('fastify-contract.received')

/** The name under which the config of a route keeps its operation, for every copy of the library. */
export const served: unique symbol = Symbol.for('fastify-contract.served')

declare module 'fastify' {
  interface FastifyContextConfig {
    [served]?: { operation: BoundOperation; contract: Contract }
  }
  interface FastifyRequest {
    [received]: Received | undefined
  }
}

/**
 * The valid input of a request, which its handler receives, for hooks on `preHandler` and later. Undefined for a request
 * to another route, and before its validation.
 *
 * @param contract with `operationId`, only a request to this operation has an input
 */
export function inputOf(request: FastifyRequest): OperationInput | undefined
export function inputOf<Types extends ContractTypes, Id extends keyof Types['operations']>(
  request: FastifyRequest,
  contract: Contract<Types>,
  operationId: Id,
): Input<Types['operations'][Id]> | undefined
export function inputOf(request: FastifyRequest, contract?: Contract, operationId?: PropertyKey): unknown {
  const input = request[received]?.input
  if (contract === undefined || input === undefined) return input
  const { [served]: route } = request.routeOptions.config
  return route?.operation.id === operationId && route?.contract.sha256 === contract.sha256 ? input : undefined
}

/**
 * A signal for the handler of a request, which aborts when the response is closed: its client has left, or it is sent. A
 * generator of items that waits for something cannot end before its wait is over, so the wait needs the signal.
 *
 * @throws Error for a request to no operation, or before its validation
 */
export function signalOf(request: FastifyRequest): AbortSignal {
  const state = request[received]
  if (state === undefined) throw new Error('the request is not a valid one to an operation of a contract')
  return (state.signal ??= signalOfClosing(state.response))
}

function signalOfClosing(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  whenClosed(response, () => {
    controller.abort()
  })
  return controller.signal
}

/**
 * Makes the hook that validates the requests of an operation. As a hook of the route, it runs after the `preValidation`
 * hooks of the service, and before every `preHandler` hook.
 */
export function readInput(
  { requiresBody, offeredTypes, validators, read }: BoundOperation,
  parameters: RoutePath['parameters'],
): preValidationHookHandler {
  const readNow = (request: FastifyRequest, response: ServerResponse, accept: string | undefined) => {
    const { headers, url, [content]: parsed } = request
    const { params, query } = textsOf(request)
    if (requiresBody && request.body === undefined) throw emptyBody()
    if (parsed !== undefined) parsed.value = request.body
    const body = parsed?.value === undefined ? undefined : parsed
    const path: Record<string, string> = {}
    for (const { name, inRoute } of parameters) path[name] = params[inRoute] ?? ''
    const input = read({ headers, path, query, url, body, accept })
    // Hooks see the fields of a form by their names, as they see the properties of JSON.
    request.body = input.body
    request[received] = { input, isHandled: false, response, signal: undefined }
  }
  return (request, reply, done) => {
    if (offeredTypes.length > 1) addVary(reply, 'Accept')
    else if (validators.requests.isDone) {
      readNow(request, reply.raw, undefined)
      done()
      return
    }
    const reading = async () => {
      if (!validators.requests.isDone) await validators.requests.run()
      const { accept } = request.headers
      readNow(request, reply.raw, offeredTypes.length > 1 ? await preferredType(accept, offeredTypes) : undefined)
    }
    reading().then(() => {
      done()
    }, done)
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
