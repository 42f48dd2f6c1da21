import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { problemDetails } from 'fastify-contract'
import { type ContractOperation, basePathsOf, declaredResponse, isJson, isRange } from 'fastify-contract/document'
import { stringifyJson } from 'fastify-contract/json'
import type { Schema } from 'fastify-contract/schema'
import { type FailureParts, declaredForm, filledBody } from '../init/failure-form.ts'
import {
  type SentRequest,
  type TestedContract,
  declaredType,
  operationOf,
  responsesTo,
} from '../suite/ground/contract.ts'
import type { SchemaSource } from '../suite/draw/flat-schema.ts'
import { statusesOfRefusal } from '../suite/ground/refusals.ts'
import { attempt } from '../suite/ground/no-generator.ts'
import { isObject } from '../suite/ground/members.ts'
import { type MockReply, replyOf } from './replies.ts'

/**
 * Sends the failures of a server as each operation declares them: the server has one form for all.
 *
 * @param app before the contract is registered
 * @param onReasonLost takes the reason of a failure whose body has no place for it
 */
export function fitFailures(
  app: FastifyInstance,
  contract: TestedContract & SchemaSource,
  onReasonLost?: (reason: string) => void,
): void {
  const own = contract.operations.flatMap(({ basePaths }) => basePaths)
  const bases = [...new Set([...basePathsOf(contract.document), ...own])].toSorted((a, b) => b.length - a.length)
  const fittingReply = fitter(contract)
  const fitted = ({ method, url }: FastifyRequest, reply: FastifyReply, payload: unknown): unknown => {
    const sent = problemOf(reply, payload)
    const base = bases.find((each) => url.startsWith(`${each}/`)) ?? ''
    const fitting = sent && fittingReply({ method, url: url.slice(base.length) }, sent, reply)
    if (sent === undefined || fitting === undefined) return payload
    const { status, contentType, headers, body } = fitting
    // What the server has set says more.
    for (const [name, value] of Object.entries(headers)) if (!reply.hasHeader(name)) reply.header(name, value)
    reply.code(status).removeHeader('content-length')
    // Where no content is declared, any may be sent.
    if (contentType === undefined) return payload
    reply.header('content-type', contentType)
    const { message } = sent
    if (!hasReason(message, body)) onReasonLost?.(`${method} ${url}: ${String(status)}, ${message}`)
    return isJson(contentType) ? stringifyJson(body) : body
  }
  app.addHook('onSend', (request, reply, payload, done) => {
    done(null, fitted(request, reply, payload))
  })
}

function hasReason(reason: string, body: unknown): boolean {
  return isObject(body) && Object.values(body).includes(reason)
}

const problemType = 'application/problem+json'

/** A failure in the form of RFC 9457, which those have that the server sends by itself. */
interface Problem extends FailureParts {
  body: unknown
}

function problemOf(reply: FastifyReply, payload: unknown): Problem | undefined {
  const type = String(reply.getHeader('content-type'))
  if (reply.statusCode < 400 || typeof payload !== 'string' || !type.startsWith(problemType)) return undefined
  const body: unknown = JSON.parse(payload)
  const message = isObject(body) ? body['detail'] : undefined
  return typeof message === 'string' ? { status: reply.statusCode, message, body } : undefined
}

/** Makes what replaces failures by replies that their operations declare, unless these declare what is sent. */
function fitter(contract: TestedContract & SchemaSource) {
  const form = declaredForm(contract.operations, contract)
  return (
    request: SentRequest,
    { status: given, message, body: sent }: Problem,
    headers: Pick<FastifyReply, 'hasHeader'>,
  ): MockReply | undefined => {
    const operation = operationOf(contract, request)
    const [malformed = given] = operation === undefined ? [] : statusesOfRefusal(operation, 'invalid_request')
    const failure = { status: given === 400 ? malformed : given, message }
    const { status } = failure
    const responses = responsesTo(contract, request)
    const keepsContract = ({ status, contentType = '', body }: MockReply) => {
      const response = declaredResponse(responses, status)
      // Where an operation declares no refusal, any is open.
      if (response === undefined) return status < 500 && !Object.keys(responses).some((key) => key.startsWith('4'))
      const { headers: declared = {}, content = {} } = response
      const isWhole = Object.entries(declared).every(
        ([name, { required }]) => required !== true || headers.hasHeader(name),
      )
      const types = Object.keys(content)
      const { [declaredType(types, contentType) ?? '']: media } = content
      const isRight = media !== undefined && contract.problemsOf(body, media.schema ?? true, 'response').length === 0
      return isWhole && (types.length === 0 || isRight)
    }
    // Such as an example, which may have further members.
    const { content = {} } = declaredResponse(responses, given) ?? {}
    const asSent = { status: given, headers: {}, contentType: problemType, body: sent }
    if (operation !== undefined && Object.hasOwn(content, problemType) && keepsContract(asSent)) return undefined
    const usual = form && { contentType: form.type, body: filledBody(form, contract, failure) }
    const forms = [usual ?? [], problemDetails({ name: 'invalid_request', ...failure })].flat()
    // The default one tells it always.
    const candidates = forms
      .map(({ contentType = 'application/json', body }): MockReply => ({ status, headers: {}, contentType, body }))
      .filter(({ body }) => hasReason(message, body))
    const fitting = candidates.find(keepsContract) ?? (operation && declaredFailure(operation, contract, failure))
    // Where nothing is declared, all are alike.
    return fitting ?? candidates[0]
  }
}

/** The failure that an operation declares for a status; undefined for none. */
function declaredFailure(
  operation: ContractOperation,
  source: SchemaSource,
  failure: FailureParts,
): MockReply | undefined {
  const { status } = failure
  const value = (schema: Schema, plain: () => unknown) => filledBody({ schema, body: plain() }, source, failure)
  return attempt('', {}, () => replyOf(operation, source, { status, value })) ?? withoutContent(operation, status)
}

/** A failure of a declared media type that the mock cannot write: its status says what it is. */
function withoutContent({ object }: ContractOperation, status: number): MockReply | undefined {
  const { content = {} } = declaredResponse(object.responses, status) ?? {}
  const contentType = Object.keys(content).find((type) => !isJson(type) && !isRange(type))
  return contentType === undefined ? undefined : { status, headers: {}, contentType, body: '' }
}
