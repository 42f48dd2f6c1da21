import type { FastifyInstance, FastifyReply } from 'fastify'
import { problemDetails } from 'fastify-contract'
import { type ContractOperation, basePathsOf, declaredResponse, isJson, isRange } from 'fastify-contract/document'
import { stringifyJson } from 'fastify-contract/json'
import type { Schema } from 'fastify-contract/schema'
import { type FailureParts, declaredForm, filledBody } from '../init/failure-form.ts'
import { type TestedContract, operationOf } from '../suite/ground/contract.ts'
import { Fault } from '../suite/ground/fault.ts'
import type { SchemaSource } from '../suite/draw/flat-schema.ts'
import { statusesOfRefusal } from '../suite/ground/refusals.ts'
import { assertKeepsContract } from '../suite/judge/response-checks.ts'
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
  app.addHook('onSend', (request, reply, payload, done) => {
    const sent = problemOf(reply, payload)
    const { method, url } = request
    const base = bases.find((each) => url.startsWith(`${each}/`)) ?? ''
    const fitting = sent && fittingReply({ method, url: url.slice(base.length) }, sent, reply.getHeaders())
    if (sent === undefined || fitting === undefined) {
      done(null, payload)
      return
    }
    const { status, contentType, headers, body } = fitting
    // What the server has set says more.
    for (const [name, value] of Object.entries(headers)) if (!reply.hasHeader(name)) reply.header(name, value)
    reply.code(status).removeHeader('content-length')
    // Where no content is declared, any may be sent.
    if (contentType === undefined) {
      done(null, payload)
      return
    }
    reply.header('content-type', contentType)
    const { message } = sent
    if (!hasReason(message, body)) onReasonLost?.(`${method} ${url}: ${String(status)}, ${message}`)
    done(null, isJson(contentType) ? stringifyJson(body) : body)
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
  if (reply.statusCode < 400 || typeof payload !== 'string' || !type.startsWith(problemType)) {
    return undefined
  }
  const body = JSON.parse(payload) as { detail?: unknown }
  return typeof body.detail === 'string' ? { status: reply.statusCode, message: body.detail, body } : undefined
}

/** Makes what replaces failures by replies that their operations declare, unless these declare what is sent. */
function fitter(contract: TestedContract & SchemaSource) {
  const form = declaredForm(contract.operations, contract)
  return (
    request: { method: string; url: string },
    { status: given, message, body: sent }: Problem,
    headers: ReturnType<FastifyReply['getHeaders']>,
  ): MockReply | undefined => {
    const operation = operationOf(contract, request)
    const [malformed = given] = operation === undefined ? [] : statusesOfRefusal(operation, 'invalid_request')
    const failure = { status: given === 400 ? malformed : given, message }
    const { status } = failure
    const replyIn = (contentType: string | undefined, body: unknown): MockReply => ({
      ...{ status, headers: {}, body },
      contentType: contentType ?? 'application/json',
    })
    const keepsContract = ({ status, contentType, body }: MockReply) => {
      const all = { ...headers, 'content-length': undefined, 'content-type': contentType }
      try {
        assertKeepsContract(contract, request, { status, headers: all, text: stringifyJson(body) })
        return true
      } catch (error) {
        if (!(error instanceof Fault)) throw error
        return false
      }
    }
    // Such as an example, which may have further members.
    const { content = {} } = (operation && declaredResponse(operation.object.responses, given)) ?? {}
    const declares = Object.hasOwn(content, problemType)
    if (declares && keepsContract({ ...replyIn(problemType, sent), status: given })) return undefined
    const problem = problemDetails({ name: 'invalid_request', ...failure })
    const usual = form && replyIn(form.type, filledBody(form, contract, failure))
    const forms = [usual ?? [], replyIn(problem.contentType, problem.body)].flat()
    // The default one tells it always.
    const candidates = forms.filter(({ body }) => hasReason(message, body))
    const fitting = candidates.find(keepsContract) ?? (operation && declaredFailure(operation, contract, failure))
    // Where nothing is declared, all are alike.
    return fitting ?? candidates[0]!
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
