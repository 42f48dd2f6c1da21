import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { problemDetails } from 'fastify-contract'
import {
  type ContractOperation,
  basePathsOf,
  declaredKey,
  declaredResponse,
  isJson,
  isRange,
} from 'fastify-contract/document'
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
import { examplesOf } from '../suite/ground/examples.ts'
import { statusesOfRefusal } from '../suite/ground/refusals.ts'
import { attempt } from '../suite/ground/no-generator.ts'
import { isObject } from '../suite/ground/members.ts'
import { type MockReply, replyOf } from './replies.ts'

/**
 * Sends the failures of a server as each operation declares them: the server has one form for all.
 *
 * @param app before the contract is registered
 * @param onRefusal takes each failure and its reason, in one line
 */
export function fitFailures(
  app: FastifyInstance,
  contract: TestedContract & SchemaSource,
  onRefusal?: (line: string) => void,
): void {
  const own = contract.operations.flatMap(({ basePaths }) => basePaths)
  const bases = [...new Set([...basePathsOf(contract.document), ...own])].toSorted((a, b) => b.length - a.length)
  /** Made at the first failure: it compiles the schema of one. */
  let fittingReply: ReturnType<typeof fitter> | undefined
  const fitted = ({ method, url, originalUrl }: FastifyRequest, reply: FastifyReply, payload: unknown): unknown => {
    const sent = problemOf(reply, payload)
    if (sent === undefined) return payload
    const { message } = sent
    const base = bases.find((each) => url.startsWith(`${each}/`)) ?? ''
    fittingReply ??= fitter(contract)
    const fitting = fittingReply({ method, url: url.slice(base.length) }, sent, reply)
    const { status = sent.status, contentType, headers = {}, body }: Partial<MockReply> = fitting ?? {}
    // Not every body has a place for it.
    reply.header(reasonHeader, headerText(message))
    onRefusal?.(`${method} ${originalUrl}: ${String(status)}, ${message}`)
    // What the server has set says more.
    for (const [name, value] of Object.entries(headers)) if (!reply.hasHeader(name)) reply.header(name, value)
    reply.code(status)
    // Where no content is declared, any may be sent.
    if (contentType === undefined) return payload
    reply.removeHeader('content-length').header('content-type', contentType)
    return isJson(contentType) ? stringifyJson(body) : body
  }
  app.addHook('onSend', (request, reply, payload, done) => {
    done(null, fitted(request, reply, payload))
  })
}

/** The header of each failure that has its reason. */
const reasonHeader = 'x-mock-reason'

/** The beginning of a text as the value of a header: other characters than those of ASCII are percent-encoded. */
function headerText(text: string): string {
  return text
    .slice(0, 500)
    .toWellFormed()
    .replaceAll(/[^\x20-\x7e]+/g, encodeURIComponent)
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
    const status = operation === undefined ? given : declaredStatus(operation, given)
    const failure = { status, message }
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
      .filter(({ body }) => stringifyJson(body).includes(stringifyJson(message)))
    const declared = () => operation && declaredFailure(operation, contract, failure)
    const { content: exampled = {} } = declaredResponse(responses, status) ?? {}
    const hasExample = Object.values(exampled).some((media) => [...examplesOf(media)].length > 0)
    const fitting = (hasExample ? declared() : undefined) ?? candidates.find(keepsContract) ?? declared()
    // Where nothing is declared, all are alike.
    return fitting ?? candidates[0]
  }
}

/** Statuses that tell a client the same as another one. */
const likewise: Partial<Record<number, number>> = { 401: 403, 403: 401, 404: 410 }

/** The status of a refusal, or where it is not declared, one that is: 400 is what a client takes an unknown one for. */
function declaredStatus(operation: ContractOperation, status: number): number {
  const { responses } = operation.object
  const malformed = statusesOfRefusal(operation, 'invalid_request')
  if (status >= 500) return status
  const candidates = status === 400 ? malformed : [status, likewise[status] ?? status, ...malformed]
  return candidates.find((each) => declaredKey(responses, each) !== undefined) ?? status
}

/** The failure that an operation declares for a status; undefined for none. */
function declaredFailure(
  operation: ContractOperation,
  source: SchemaSource,
  failure: FailureParts,
): MockReply | undefined {
  const { status } = failure
  const value = (schema: Schema, plain: () => unknown) => filledBody({ schema, body: plain() }, source, failure)
  const reply = attempt('', {}, () => replyOf(operation, source, { status, value }))
  const { contentType = '' } = reply ?? {}
  if (reply === undefined || !/^text\/plain/i.test(contentType)) return reply ?? withoutContent(operation, status)
  const { schema = {} } = declaredResponse(operation.object.responses, status)?.content?.[contentType] ?? {}
  return { ...reply, body: filledBody({ schema, body: reply.body }, source, failure) }
}

/** A failure of a declared media type that the mock cannot write: its status says what it is. */
function withoutContent({ object }: ContractOperation, status: number): MockReply | undefined {
  const { content = {} } = declaredResponse(object.responses, status) ?? {}
  const contentType = Object.keys(content).find((type) => !isJson(type) && !isRange(type))
  return contentType === undefined ? undefined : { status, headers: {}, contentType, body: '' }
}
