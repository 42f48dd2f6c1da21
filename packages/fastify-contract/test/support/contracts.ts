import type { ContractDocument, Parameter } from '../../src/document/document.ts'
import type { AnyHandler, BoundOperation, OperationRequest, ValidReply } from '../../src/engine/engine.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { Refusal, failureStatuses } from '../../src/engine/refusal.ts'
import { ContractViolation } from '../../src/engine/reply-validation.ts'
import { type ParsedJson, parseJson, stringifyJson } from '../../src/json/json.ts'
import type { Schema } from '../../src/schema/read/schema.ts'

export const int64: Schema = { type: 'integer', format: 'int64' }
export const thing: Schema = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } }
export const ok = { 200: { description: 'Done.', content: { 'application/json': { schema: thing } } } }
export const id: Parameter = { name: 'id', in: 'path', required: true, schema: int64 }
export const getThing = { operationId: 'getThing', parameters: [id], responses: ok }
export const bearer = { type: 'http', scheme: 'bearer' }

/** A contract of one operation, `GET /things/{id}`, with these changes. */
export function contractOf(operation: object = {}, document: object = {}): ContractDocument {
  return {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1.0.0' },
    security: [{ bearer: [] }],
    paths: { '/things/{id}': { get: { ...getThing, ...operation } } },
    components: { securitySchemes: { bearer } },
    ...document,
  }
}

/** Binds the operations of a contract. */
export function bind(
  contract: ContractDocument,
  handlers: Partial<Record<string, AnyHandler>>,
  problems: readonly string[] = [],
  onContractBroken?: (operationId: string) => void,
): Promise<BoundOperation[]> {
  const remedy = 'generate again'
  return new Promise((resolve) => {
    resolve(createEngine({ document: contract, handlers, services: {}, remedy, problems, onContractBroken }))
  })
}

export const request: OperationRequest = {
  headers: {},
  path: { id: '54' },
  query: {},
  url: '',
  body: undefined,
}

/** Sends a request to an operation, as the caller `me`. */
export async function handle(
  { validators, read, call }: BoundOperation,
  sent: Partial<OperationRequest> = {},
): Promise<ValidReply> {
  await validators.requests.run()
  return call(read({ ...request, ...sent }), { auth: { bearer: 'me' }, request: {} }, () => undefined, undefined)
}

/** Parses a body. */
export function parsed(text: string): ParsedJson {
  return parseJson(Buffer.from(text))
}

/** The outcome of a request: its status and text, and the JSON text that the handler saw. */
export interface Echo {
  status: number
  text: string
  seen: string | undefined
}

/**
 * Serves an operation that replies with its body.
 *
 * @param schema of the request and of the reply
 * @param schemas that it refers to
 */
export async function serveEcho(schema: unknown, schemas: object = {}): Promise<(text: string) => Promise<Echo>> {
  const content = { 'application/json': { schema } }
  const operation = { requestBody: { content }, responses: { 200: { description: 'The same.', content } } }
  let seen: string | undefined
  const getThing = ({ body }: { body: unknown }) => {
    seen = stringifyJson(body)
    return { status: 200, body }
  }
  const [operationOfThings] = await bind(
    contractOf(operation, { components: { schemas, securitySchemes: { bearer } } }),
    {
      getThing,
    },
  )
  return async (text) => {
    seen = undefined
    try {
      const { body } = await handle(operationOfThings!, { body: parsed(text) })
      return { status: 200, text: stringifyJson(body), seen }
    } catch (error) {
      if (error instanceof Refusal) return { status: failureStatuses[error.failure], text: error.message, seen }
      if (error instanceof ContractViolation) return { status: 500, text: error.message, seen }
      throw error
    }
  }
}
