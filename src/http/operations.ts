import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Refusal, Verdict, Verifier } from '../auth/bearer.ts'
import type { AnyReply, BoundOperation } from '../contract/engine.ts'
import { type Failure, failure, isFailure } from '../contract/errors.ts'
import { MalformedJson, parseJson, stringifyJson } from '../json/json.ts'
import { type Caller, Encoded, isWhole } from '../contract/types.ts'
import { RequestFailure, sendFailure } from './failures.ts'
import { fieldValues } from './raw-headers.ts'
import type { RateLimits } from './rate-limits.ts'
import { sendJson } from './send-json.ts'
import { streamChunks } from '../connections/stream-chunks.ts'
import type { UnreadBytes } from '../connections/unread-bytes.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** For whom the request acts; set by the authentication of its operation. */
    caller: Caller
  }
  interface FastifyContextConfig {
    operation?: BoundOperation
  }
}

export interface OperationsOptions {
  operations: BoundOperation[]
  /** Judges the credentials of each security scheme. */
  verifiers: Record<string, Verifier>
  /** Undefined where nobody's requests are limited. */
  rateLimits: RateLimits | undefined
  /** Counts the answers that clients have not read. */
  unread: UnreadBytes
}

/**
 * Gives every operation of the contract its route.
 *
 * @param app a context of its own: its body parsers take JSON alone
 */
export function registerOperations(app: FastifyInstance, { operations, verifiers, rateLimits, unread }: OperationsOptions): void {
  app.decorateRequest('caller')
  registerParsers(app)
  for (const operation of operations) {
    const names: string[] = []
    app.route({
      method: operation.method.toUpperCase(),
      url: routeUrl(operation.path, names),
      config: { operation },
      onRequest: [
        ...(operation.takesBody ? [] : [ignoreContent]),
        ...(rateLimits === undefined ? [] : [rateLimits.refuseAddress]),
        createAuthentication(operation, verifiers, rateLimits?.countRefused),
        // Requests of one address may have been judged at once.
        ...(rateLimits === undefined ? [] : [rateLimits.refuseAddress, rateLimits.onAuthenticated]),
        ...(operation.takesBody ? [refuseEncoded, inviteContent] : []),
      ],
      handler: (request, reply) => answer(operation, names, unread, request, reply),
    })
  }
}

/**
 * `/plants/{id}` as `/plants/:p0([^]+)`: a contract may name a parameter as it likes, a Fastify route may not.
 * The expression takes any text but the empty one, so that `/plants/` is no path.
 */
function routeUrl(path: string, names: string[]): string {
  return path.replaceAll(':', '::').replace(/\{([^{}]+)\}/g, (_template, name: string) => `:p${String(names.push(name) - 1)}([^]+)`)
}

function registerParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (_request, bytes, done) => {
    try {
      done(null, parseJson(bytes))
    } catch (error) {
      done(error instanceof MalformedJson ? new RequestFailure(failure('malformed_body', error.message)) : (error as Error))
    }
  })
  // Content of an operation that takes none is not read; Node drops it.
  app.addContentTypeParser('*', (request, _content, done) => {
    if (request.routeOptions.config.operation?.takesBody === true) done(new RequestFailure(notJson))
    else done(null)
  })
}

/** An operation that takes no body has no use for its media type, which Fastify would judge (RFC 9110, section 9.3.5). */
const ignoreContent: onRequestHookHandler = ({ headers }, _reply, done) => {
  headers['content-type'] = undefined
  done()
}

/** A coding that is not undone would make any content look like malformed JSON (RFC 9110, section 8.4). */
const refuseEncoded: onRequestHookHandler = ({ headers }, reply, done) => {
  if (headers['content-encoding'] === undefined) done()
  else sendFailure(reply, encoded)
}

/** The client that waits for leave to send its body gets it once its credentials are good (RFC 9110, section 10.1.1). */
const inviteContent: onRequestHookHandler = ({ headers, raw: { httpVersion } }, { raw }, done) => {
  if (httpVersion === '1.1' && headers.expect?.toLowerCase() === '100-continue') raw.writeContinue()
  done()
}

function createAuthentication(
  { security }: BoundOperation,
  verifiers: Record<string, Verifier>,
  countRefused: RateLimits['countRefused'] | undefined,
): onRequestHookHandler {
  const schemes = [...new Set(security.flat())]
  return (request, reply, done) => {
    const decide = (verdicts: Verdict[]): void => {
      const caller = callerOf(security, new Map(schemes.map((scheme, index) => [scheme, verdicts[index]!])))
      if (caller !== undefined) {
        request.caller = caller
        done()
        return
      }
      const refusal = verdicts.find((verdict): verdict is Refusal => !('caller' in verdict)) ?? differentCallers
      sendFailure(reply, (isFailure(refusal, 'token_invalid') ? countRefused?.(request) : undefined) ?? refusal)
    }
    // Of two fields Node takes the first; combined, as RFC 9110, section 5.2 has it, they are no credentials.
    const authorization = request.headers.authorization && fieldValues(request.raw.rawHeaders, 'authorization').join(', ')
    // createEngine has refused a contract with a scheme that has no verifier.
    const verdicts = schemes.map((scheme) => verifiers[scheme]!(authorization))
    const settled = verdicts.filter((verdict): verdict is Verdict => !(verdict instanceof Promise))
    if (settled.length === verdicts.length) decide(settled)
    else Promise.all(verdicts.map((verdict) => Promise.resolve(verdict))).then(decide, done)
  }
}

/**
 * The caller of the first alternative in which every scheme has authenticated the same one. Schemes that are required
 * together and give different callers do not satisfy their alternative.
 */
function callerOf(security: string[][], verdicts: Map<string, Verdict>): Caller | undefined {
  for (const alternative of security) {
    const callers = alternative.map((scheme) => {
      const verdict = verdicts.get(scheme)
      return verdict !== undefined && 'caller' in verdict ? verdict.caller : undefined
    })
    const [caller] = callers
    if (caller !== undefined && callers.every((other) => other === caller)) return caller
  }
  return undefined
}

async function answer(operation: BoundOperation, names: string[], unread: UnreadBytes, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (operation.requiresBody && request.body === undefined) return sendFailure(reply, emptyBody)
  // Fastify's route has as many parameters as the path template has names, each of them text.
  const params = request.params as Record<string, string>
  const result = await operation.handle({
    headers: request.headers,
    path: Object.fromEntries(names.map((name, index) => [name, params[`p${String(index)}`] ?? ''])),
    query: request.query as Record<string, string | string[]>,
    body: request.body,
    caller: request.caller,
  })
  return send(reply, result, unread)
}

const notJson: Failure = failure('unsupported_media_type', 'send the body as Content-Type: application/json')
const differentCallers: Refusal = failure('token_invalid', 'the credentials belong to different callers', {
  'WWW-Authenticate': 'Bearer realm="plant-store", error="invalid_token"',
})
const encoded: Failure = failure('unsupported_media_type', 'send the body without Content-Encoding')
/** What a body in chunks holds as a rule: the chunk that is being sent, and what the kernel has not taken of it. */
const streamBytes = 512 * 1_024

const tooMuchUnread: Failure = failure('unavailable', 'too many long answers wait to be read; try again in a second', { 'Retry-After': 1 })
const emptyBody: Failure = failure('malformed_body', 'the body is empty')

function send(reply: FastifyReply, { status, headers, body }: AnyReply, unread: UnreadBytes): FastifyReply {
  if (body instanceof Encoded) return sendEncoded(reply.code(status).headers(headers ?? {}), body as Encoded<unknown>, unread)
  reply.code(status)
  if (headers !== undefined) reply.headers(headers)
  return body === undefined ? reply.send() : sendJson(reply, stringifyJson(body))
}

function sendEncoded(reply: FastifyReply, { chunks }: Encoded<unknown>, unread: UnreadBytes): FastifyReply {
  if (!unread.hold(reply.raw, isWhole(chunks) ? chunks.length : streamBytes)) return sendFailure(reply, tooMuchUnread)
  if (isWhole(chunks)) return sendJson(reply, chunks)
  // Fastify reads a body to its end to answer HEAD without it.
  return sendJson(reply, reply.request.method === 'HEAD' ? Readable.from([]) : streamChunks(reply.raw, chunks))
}
