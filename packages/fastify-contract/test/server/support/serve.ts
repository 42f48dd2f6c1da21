import type { AddressInfo } from 'node:net'
import fastify, { type FastifyInstance } from 'fastify'
import {
  type ContractOptions,
  type FailureForm,
  type Limits,
  type Verifier,
  fastifyContract,
  fastifyOptions,
} from 'fastify-contract'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { type Answer, checkAnswer } from './exchange.ts'

/** A response of JSON of any kind, and the failures of the server. */
export const ok = { 200: { description: 'Done.', content: { 'application/json': { schema: {} } } } }
const failure = { description: 'A failure.', content: { 'application/json': { schema: {} } } }
export const failures = { default: failure }

const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer', format: 'int64' } }
const limit = { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 0 } }
const thing = { type: 'object', required: ['id'], properties: { id: { type: 'integer', format: 'int64' } } }
const body = { required: true, content: { 'application/json': { schema: thing } } }

/** A shop of things: one operation for each form of a request. */
export const shop = {
  '/things': {
    get: { operationId: 'listThings', parameters: [limit], responses: { ...ok, ...failures } },
    post: { operationId: 'createThing', requestBody: body, responses: { ...ok, ...failures } },
  },
  '/things/{id}': {
    delete: { operationId: 'deleteThing', parameters: [id], responses: { 204: { description: 'Gone.' }, ...failures } },
  },
}

const bearer = { type: 'http', scheme: 'bearer' }

type AnyHandlers = ContractOptions['handlers']
/** A handler whose input the test knows from its contract. */
export type TestHandler = (input: never, context: never) => unknown

export interface Shop {
  paths?: object
  /** Those of the shop, of which each has its things for itself, unless given. */
  handlers?: Record<string, TestHandler>
  document?: { components?: { securitySchemes?: object; schemas?: object }; [member: string]: unknown }
  limits?: Partial<Limits>
  options?: Partial<ContractOptions>
  /** That of the shop by default, `{ failure, message }`; null for the library's. */
  failureForm?: FailureForm | null
  onConnectionRefused?: (status: number) => void
  /** Registers what stands beside the contract. */
  beside?: (app: FastifyInstance) => void
}

export interface ServedShop {
  app: FastifyInstance
  /** Listens on a free port of 127.0.0.1. @returns the origin */
  listen: () => Promise<string>
  /** Sends a request without a socket, as the caller `me` unless it says otherwise. */
  send: (request: TestRequest) => Promise<Answer>
  /** The lines of the log. */
  lines: () => Record<string, unknown>[]
}

export interface TestRequest {
  method?: string
  url: string
  headers?: Record<string, string | undefined>
  body?: string | Buffer
}

/**
 * Verifies `Bearer CALLER`, and `Bearer CALLER/SCOPE,SCOPE`; `no` is nobody's, `later` cannot be checked, and what the
 * credentials of another scheme begin with is `Other `.
 */
export const verify: Verifier = (credentials) => {
  if (!/^bearer /i.test(credentials)) return Promise.resolve('missing')
  const [caller = '', scopes] = credentials.slice('bearer '.length).split('/')
  if (caller === 'later') return Promise.resolve('unavailable')
  if (!/^(?:me|you)$/.test(caller)) return Promise.resolve('unknown')
  return Promise.resolve({ caller, scope: scopes?.replaceAll(',', ' ') })
}

export function shopHandlers(): Record<string, TestHandler> {
  const things = new Map<string, Set<bigint>>()
  const ofCaller = ({ caller }: { caller: string }): Set<bigint> => {
    const own = things.get(caller) ?? new Set()
    things.set(caller, own)
    return own
  }
  const failed = (status: number, name: string) => ({ status, body: { failure: name, message: 'as the shop says' } })
  return {
    listThings: ({ query }: { query: { limit?: number } }, context: { caller: string }) => ({
      status: 200,
      body: [...ofCaller(context)].slice(0, query.limit),
    }),
    createThing: ({ body: { id: own } }: { body: { id: bigint } }, context: { caller: string }) => {
      if (ofCaller(context).has(own)) return failed(409, 'thing_exists')
      ofCaller(context).add(own)
      return { status: 200, body: { id: own } }
    },
    deleteThing: ({ path }: { path: { id: bigint } }, context: { caller: string }) =>
      ofCaller(context).delete(path.id) ? { status: 204 } : failed(404, 'thing_not_found'),
  }
}

const shopForm: FailureForm = ({ name, message }) => ({ body: { failure: name, message } })

/** Serves a contract, the shop's unless another is given, until the test is finished. */
export async function serve(given: Shop = {}): Promise<ServedShop> {
  const {
    paths = shop,
    handlers = shopHandlers(),
    document: more = {},
    limits,
    options,
    failureForm = shopForm,
    onConnectionRefused,
    beside,
  } = given
  const document = {
    openapi: '3.1.0',
    info: { title: 'Shop & <Sons>', version: '1.0.0' },
    security: [{ bearer: [] }],
    paths,
    ...more,
    components: { securitySchemes: { bearer }, ...more.components },
  }
  const logged: string[] = []
  const logger = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) })
  const app = fastify(
    fastifyOptions({
      logger,
      failureForm: failureForm ?? undefined,
      onConnectionRefused,
      limits: { shutdownDelayMilliseconds: 0, ...limits },
    }),
  )
  onTestFinished(() => app.close())
  await app.register(fastifyContract, {
    contract: { document, json: '{"openapi":"3.1.0"}', yaml: 'openapi: 3.1.0' } as ContractOptions['contract'],
    // The types of handlers are those of a generated contract.
    handlers: handlers as AnyHandlers,
    verifierOf: () => verify,
    realm: 'shop',
    favicon: '<svg xmlns="http://www.w3.org/2000/svg"/>',
    ...options,
  })
  beside?.(app)
  return {
    app,
    listen: async () => {
      if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 })
      return `http://127.0.0.1:${String((app.server.address() as AddressInfo).port)}`
    },
    lines: () => logged.map((line) => JSON.parse(line) as Record<string, unknown>),
    send: async ({ method = 'GET', url, headers: own = {}, body: payload }) => {
      const type = payload === undefined ? {} : { 'content-type': 'application/json' }
      const sent: Record<string, string | undefined> = { authorization: 'Bearer me', ...type, ...own }
      const response = await app.inject({
        // light-my-request's type lists the common methods; it sends any.
        method: method as 'GET',
        url,
        headers: Object.fromEntries(
          Object.entries(sent).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
        ),
        ...(payload === undefined ? {} : { payload }),
      })
      const headers: Record<string, string> = {}
      for (const [name, value] of Object.entries(response.headers)) headers[name] = String(value)
      const answer = { status: response.statusCode, headers, text: response.payload }
      if (!url.startsWith('/docs')) checkAnswer(answer)
      return answer
    },
  }
}
