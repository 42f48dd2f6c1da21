import type { FastifyBaseLogger } from 'fastify'
import { UnservableContract } from '../document/contract.ts'
import { contentTypeOf, isJson, isText } from '../document/media-type.ts'
import { type FailureName, Refusal } from '../engine/refusal.ts'
import type { AnyReply } from '../engine/reply-validation.ts'
import { stringifyJson } from '../json/json.ts'
import { STATUS_CODES } from '../node-http.ts'

/** A failure that the server sends by itself. */
export interface ServerFailure {
  name: FailureName
  /** The status that HTTP has for it. */
  status: number
  /** For a person: the problem, its place and the remedy. */
  message: string
  /** What a handler has thrown, for `internal` alone. It may be a failure that the operation declares. */
  cause?: unknown
}

/** The reply to a failure. The server adds Allow, Retry-After and WWW-Authenticate. */
export interface FailureReply {
  /** 400 to 599; that of the failure by default. */
  status?: number
  /** Without parameters; `application/json` by default. */
  contentType?: string
  /** A JSON value, or the text of another media type. */
  body: unknown
}

/**
 * Makes the reply to each failure that the server sends by itself.
 *
 * If `cause` changes the status of `internal`, the reply is that of the operation: it is validated, and the cause is no
 * fault. Otherwise it is a fault: it is logged, and the client gets what the form makes without it.
 */
export type FailureForm = (failure: ServerFailure) => FailureReply

/** The default form: the problem details of RFC 9457. A form of your own may give it another status or message. */
export const problemDetails: FailureForm = ({ status, message }) => ({
  status,
  contentType: 'application/problem+json',
  body: { title: STATUS_CODES[status], status, detail: message },
})

/** A reply to a failure, with its defaults. */
export interface FormedFailure {
  status: number
  contentType: string
  body: unknown
  content: string
}

/**
 * @param more the cause, if there is one
 * @throws UnservableContract if the form makes a reply that cannot be sent, and any error of the form
 */
export function formed(
  { failure: name, statusCode, message }: Refusal,
  form: FailureForm,
  more: Pick<ServerFailure, 'cause'> = {},
): FormedFailure {
  const failure = { name, status: statusCode, message, ...more }
  const { status = statusCode, contentType = 'application/json', body } = form(failure)
  // JSON has no text for some values, such as undefined.
  const content: unknown = isJson(contentType) ? stringifyJson(body) : body
  if (!Number.isInteger(status) || status < 400 || status > 599 || typeof content !== 'string') {
    const remedy = 'return a status of 400 to 599, and a JSON value, or a text with its contentType'
    throw new UnservableContract(`failureForm: the reply to ${name} cannot be sent; ${remedy}`)
  }
  return { status, contentType, body, content }
}

/**
 * Forms a failure of a request, with its Content-Type header. A form that fails is logged, and the client gets the default
 * form.
 */
export function formedOrDefault(refusal: Refusal, form: FailureForm, log: FastifyBaseLogger): FormedFailure {
  let reply: FormedFailure
  try {
    reply = formed(refusal, form)
  } catch (error) {
    log.error({ err: error }, `failureForm failed for ${refusal.failure}`)
    reply = formed(refusal, problemDetails)
  }
  return { ...reply, contentType: contentTypeOf(reply.contentType) }
}

/** The failure of what a handler throws, and of every other fault. */
export function internal(): Refusal {
  return new Refusal('internal', 'the service failed; quote the X-Request-Id of this response when reporting it')
}

/** A failure as a reply, which its operation may declare. */
export function replyOf({ status, contentType, body, content }: FormedFailure): AnyReply {
  return { status, contentType, body: isJson(contentType) || isText(contentType) ? body : Buffer.from(content) }
}

/**
 * Finds the reply to what a handler has thrown.
 *
 * @returns undefined for a fault, also where the form fails, which is logged
 */
export type FailureOf = (thrown: unknown, log: FastifyBaseLogger) => AnyReply | undefined

/** @throws UnservableContract if the form makes a reply that cannot be sent, and any error of the form */
export function failuresOf(form: FailureForm): FailureOf {
  const { status: faultStatus } = formed(internal(), form)
  return (thrown, log) => {
    // It has a name of its own.
    if (thrown instanceof Refusal) return undefined
    try {
      const failure = formed(internal(), form, { cause: thrown })
      return failure.status === faultStatus ? undefined : replyOf(failure)
    } catch (error) {
      log.error({ err: error }, 'failureForm failed for internal')
      return undefined
    }
  }
}
