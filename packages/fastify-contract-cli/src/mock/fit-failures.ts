import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type ContractOperation, basePathsOf, declaredResponse, isJson, isRange } from 'fastify-contract/document'
import { stringifyJson } from 'fastify-contract/json'
import { type TestedContract, operationOf } from '../suite/contract.ts'
import { Fault } from '../suite/fault.ts'
import type { SchemaSource } from '../suite/flat-schema.ts'
import { assertKeepsContract } from '../suite/response-checks.ts'
import { attempt } from '../suite/no-generator.ts'
import { type MockReply, replyOf } from './replies.ts'

/**
 * Sends the failures of a server as each operation declares them: the server has one form for all.
 *
 * @param app before the contract is registered
 */
export function fitFailures(app: FastifyInstance, contract: TestedContract & SchemaSource): void {
  const own = contract.operations.flatMap(({ basePaths }) => basePaths)
  const bases = [...new Set([...basePathsOf(contract.document), ...own])].toSorted((a, b) => b.length - a.length)
  app.addHook('onSend', (request, reply, payload, done) => {
    const base = bases.find((each) => request.url.startsWith(`${each}/`)) ?? ''
    const url = request.url.slice(base.length)
    const fitting = reply.statusCode < 400 ? undefined : fittingReply(contract, { request, reply, url, payload })
    if (fitting === undefined) {
      done(null, payload)
      return
    }
    const { contentType = '', headers, body = '' } = fitting
    // What the server has set says more.
    for (const [name, value] of Object.entries(headers)) if (!reply.hasHeader(name)) reply.header(name, value)
    reply.removeHeader('content-length')
    if (contentType !== '') reply.header('content-type', contentType)
    done(null, isJson(contentType) ? stringifyJson(body) : body)
  })
}

interface Sending {
  request: FastifyRequest
  reply: FastifyReply
  url: string
  payload: unknown
}

/** The reply that an operation declares in place of one that it does not; undefined where none is known or needed. */
function fittingReply(
  contract: TestedContract & SchemaSource,
  { request: { method }, reply, url, payload }: Sending,
): MockReply | undefined {
  const { statusCode: status } = reply
  const operation = operationOf(contract, { method, url })
  const text = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.toString() : ''
  try {
    assertKeepsContract(contract, { method, url }, { status, headers: reply.getHeaders(), text })
    return undefined
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    if (operation === undefined) return undefined
    return attempt('', {}, () => replyOf(operation, contract, { status })) ?? withoutContent(operation, status)
  }
}

/** A failure of a declared media type that the mock cannot write: its status says what it is. */
function withoutContent({ object }: ContractOperation, status: number): MockReply | undefined {
  const { content = {} } = declaredResponse(object.responses, status) ?? {}
  const contentType = Object.keys(content).find((type) => !isJson(type) && !isRange(type))
  return contentType === undefined ? undefined : { status, headers: {}, contentType, body: '' }
}
