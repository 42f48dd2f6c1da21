import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { readContract } from '../../../packages/fastify-contract/src/gate/check/read-contract.ts'
import { BrokenContract } from '../../../packages/fastify-contract/src/gate/check/findings.ts'
import { type AppOptions, buildApp } from '../../../src/app.ts'
import { createToken } from '../../../src/auth/tokens.ts'
import { stringifyJson } from '../../../packages/fastify-contract/src/json/json.ts'
import { temporaryStore } from '../../support/server/start-app.ts'

/** The part of a contract that every service of this project has, whatever it is about. */
export const ownErrors = {
  40000: 'malformed_body',
  40001: 'invalid_request',
  40002: 'malformed_http',
  40100: 'credentials_missing',
  40101: 'token_invalid',
  40300: 'insufficient_scope',
  40400: 'path_not_found',
  40500: 'method_not_allowed',
  40800: 'request_timeout',
  41300: 'body_too_large',
  41500: 'unsupported_media_type',
  42900: 'rate_limited',
  43100: 'headers_too_large',
  50000: 'internal',
  50300: 'unavailable',
}

export const errorSchema = {
  type: 'object',
  required: ['error', 'message'],
  properties: {
    error: {
      type: 'integer',
      enum: Object.keys(ownErrors).map(Number),
      'x-enum-varnames': Object.values(ownErrors),
      'x-enum-descriptions': Object.values(ownErrors),
    },
    message: { type: 'string' },
  },
}

/** The response that declares each failure of the service. */
export const failures = {
  default: {
    description: 'A failure.',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  },
}

export const noContent = { 204: { description: 'Done.' }, ...failures }

/** Makes a contract of paths. */
export function contractOf(
  paths: object,
  rest: { components?: { schemas?: object; [section: string]: unknown } } & Record<string, unknown> = {},
) {
  const { components, ...document } = rest
  return {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1.0.0' },
    security: [{ bearer: [] }],
    paths,
    ...document,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      ...components,
      schemas: { Error: errorSchema, ...components?.schemas },
    },
  }
}

/** A contract of one operation, `GET /things`, with these members. */
export function contractWith(operation: object, rest: Parameters<typeof contractOf>[1] = {}) {
  return contractOf({ '/things': { get: { operationId: 'listThings', responses: noContent, ...operation } } }, rest)
}

/** The lines with which generation refuses a contract; none where it takes it. */
export async function problemsOf(contract: object | string): Promise<string[]> {
  const text = typeof contract === 'string' ? contract : stringifyJson(contract, 1)
  try {
    await readContract(Buffer.from(text), 'openapi.yaml')
    return []
  } catch (error) {
    if (!(error instanceof BrokenContract)) throw error
    return error.message.split('\n')
  }
}

/** The lines with which generation warns of a contract that it takes. */
export async function warningsOf(contract: object): Promise<string[]> {
  return (await readContract(Buffer.from(stringifyJson(contract, 1)), 'openapi.yaml')).warnings
}

export interface ContractRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS' | 'HEAD'
  url: string
  headers?: Record<string, string>
  /** JSON text. */
  body?: string
}

/** Serves a contract that generation takes until a test is finished, and sends requests to it as the caller `me`. */
export async function serve(
  contract: object,
  handlers: Record<string, (input: never, context: never) => unknown>,
  options: Partial<AppOptions> = {},
  onFinished: (finish: () => Promise<void>) => void = onTestFinished,
) {
  const text = stringifyJson(contract, 1)
  const { document } = await readContract(Buffer.from(text), 'openapi.yaml')
  const store = await temporaryStore(onFinished)
  const logLines: string[] = []
  const app = await buildApp({
    contract: { document, yaml: text, json: stringifyJson(document) },
    handlers,
    store,
    log: pino({ level: 'info' }, { write: (line: string) => void logLines.push(line) }),
    rateLimit: undefined,
    ...options,
    limits: { shutdownDelayMilliseconds: 0, ...options.limits },
  })
  onFinished(() => app.close())
  const { text: token, stored } = createToken('me', Date.now())
  await store.addToken(stored)
  return {
    app,
    store,
    token,
    logLines,
    send: async ({ method, url, headers = {}, body }: ContractRequest) => {
      const content = body === undefined ? {} : { 'content-type': 'application/json' }
      const response = await app.inject({
        method,
        url,
        headers: { authorization: `Bearer ${token}`, ...content, ...headers },
        ...(body === undefined ? {} : { payload: body }),
      })
      return { status: response.statusCode, headers: response.headers, text: response.payload }
    },
  }
}
