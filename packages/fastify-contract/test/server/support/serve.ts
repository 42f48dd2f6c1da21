import type { AddressInfo } from 'node:net'
import fastify, { type FastifyInstance } from 'fastify'
import {
  type Auth,
  type Contract,
  type ContractOptions,
  type ContractTypes,
  type FailureForm,
  type Limits,
  type ServerSettings,
  fastifyContract,
  fastifyOptions,
  unavailable,
} from 'fastify-contract'
import { sealContract } from 'fastify-contract/document'
import { stringifyJson } from 'fastify-contract/json'
import { pino } from 'pino'
import { beforeAll, onTestFinished } from 'vitest'
import { type RawResponse, checkResponse } from './exchange.ts'

/** A response with any JSON, and the failures of the server. */
export const ok = { 200: { description: 'Done.', content: { 'application/json': { schema: {} } } } }
const failure = { description: 'A failure.', content: { 'application/json': { schema: {} } } }
export const failures = { default: failure }

const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer', format: 'int64' } }
const limit = { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 0 } }
const thing = { type: 'object', required: ['id'], properties: { id: { type: 'integer', format: 'int64' } } }
const body = { required: true, content: { 'application/json': { schema: thing } } }

/** A shop of things, with an operation for each kind of request. */
export const shop = {
  '/things': {
    get: { operationId: 'listThings', parameters: [limit] },
    post: { operationId: 'createThing', requestBody: body },
  },
  '/things/{id}': {
    delete: { operationId: 'deleteThing', parameters: [id], responses: { 204: { description: 'Gone.' }, ...failures } },
  },
}

const bearer = { type: 'http', scheme: 'bearer' }

/** The servers that a contract is served on, and whether each is one without `fastifyOptions`. */
export const bothServers: [title: string, isGuest: boolean][] = [
  ['a server of the library', false],
  ['any server', true],
]

/** The options of a contract that has no generated types. */
export type AnyOptions = Partial<ContractOptions<ContractTypes, object, Auth<ContractTypes['schemes']>>>

/** A handler whose input follows from the contract of the test. */
export type TestHandler = (input: never, context: never) => unknown

export interface Shop {
  paths?: object
  /** New handlers of the shop by default. */
  handlers?: Record<string, TestHandler>
  document?: { components?: { securitySchemes?: object; schemas?: object }; [member: string]: unknown }
  limits?: Partial<Limits>
  options?: AnyOptions
  /** A server with `fastifyOptions` by default. */
  app?: FastifyInstance
  /** Whether the server is one without `fastifyOptions`. */
  isGuest?: boolean
  /** Of a server with `fastifyOptions`. */
  settings?: ServerSettings
  /** Registers plugins before the contract. */
  before?: (app: FastifyInstance) => unknown
  /** `{ failure, message }` by default; null for the library's form. */
  failureForm?: FailureForm | null
  onConnectionRefused?: (status: number) => void
  /** Registers routes after the contract. */
  beside?: (app: FastifyInstance) => void
}

export interface ServedShop {
  app: FastifyInstance
  /** Listens on a free port of 127.0.0.1. @returns the origin */
  listen: () => Promise<string>
  /** Sends a request without a socket, as the caller `me` unless it says otherwise. */
  send: (request: TestRequest) => Promise<RawResponse>
  /** The lines of the log. */
  lines: () => Record<string, unknown>[]
}

export interface TestRequest {
  method?: string
  /** `/` by default. */
  url?: string
  headers?: Record<string, string | undefined>
  body?: string | Buffer
}

/** The result of the shop's verifier. */
export interface Found {
  caller: string
  scopes: string[] | 'all'
}

/** Accepts the callers `me` and `you`, with scopes as in `me/SCOPE+SCOPE`; `later` cannot be checked now. */
export function verify(text: string): Found | undefined {
  const [caller = '', scopes] = text.split('/')
  if (caller === 'later') throw unavailable('tokens cannot be checked now')
  return /^(?:me|you)$/.test(caller) ? { caller, scopes: scopes?.split('+') ?? 'all' } : undefined
}

/** Makes a contract from a document, as `generate` would. Operations have any reply and the failures by default. */
export function contractOf({ paths = {}, ...more }: { paths?: object; [member: string]: unknown }): Contract {
  const document = { openapi: '3.1.0', info: { title: 'Things', version: '1' }, paths: withResponses(paths), ...more }
  return sealContract({ document: stringifyJson(document) })
}

function withResponses(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const members = Object.entries(value).map(([name, member]) => [name, withResponses(member)] as const)
  const responses = { ...ok, ...failures }
  return { ...('operationId' in value ? { responses } : {}), ...Object.fromEntries(members) }
}

/** The context of the shop's handlers. */
interface ShopContext {
  auth: { bearer: Found }
}

export function shopHandlers(): Record<string, TestHandler> {
  const things = new Map<string, Set<bigint>>()
  const ofCaller = ({ auth }: ShopContext): Set<bigint> => {
    const { caller } = auth.bearer
    const own = things.get(caller) ?? new Set()
    things.set(caller, own)
    return own
  }
  const failed = (status: number, name: string) => ({ status, body: { failure: name, message: 'as the shop says' } })
  return {
    listThings: ({ query }: { query: { limit?: number } }, context: ShopContext) => ({
      status: 200,
      body: [...ofCaller(context)].slice(0, query.limit),
    }),
    createThing: ({ body: { id: own } }: { body: { id: bigint } }, context: ShopContext) => {
      if (ofCaller(context).has(own)) return failed(409, 'thing_exists')
      ofCaller(context).add(own)
      return { status: 200, body: { id: own } }
    },
    deleteThing: ({ path }: { path: { id: bigint } }, context: ShopContext) =>
      ofCaller(context).delete(path.id) ? { status: 204 } : failed(404, 'thing_not_found'),
  }
}

const shopForm: FailureForm = ({ name, message }) => ({ body: { failure: name, message } })

/** Serves a contract, by default the shop's, until the end of the test. */
export async function serve(
  given: Shop = {},
  onFinished: (close: () => Promise<void>) => void = onTestFinished,
): Promise<ServedShop> {
  const {
    paths = shop,
    handlers = shopHandlers(),
    document: more = {},
    limits,
    options,
    failureForm = shopForm,
    onConnectionRefused,
    before,
    beside,
  } = given
  const document = {
    info: { title: 'Shop & <Sons>', version: '1.0.0' },
    security: [{ bearer: [] }],
    paths,
    ...more,
    components: { securitySchemes: { bearer }, ...more.components },
  }
  const logged: string[] = []
  const logger = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) })
  const settings = {
    logger,
    onConnectionRefused,
    limits: { shutdownDelayMilliseconds: 0, ...limits },
    ...given.settings,
  }
  const app: FastifyInstance =
    given.app ?? fastify(given.isGuest === true ? { loggerInstance: logger } : fastifyOptions(settings))
  onFinished(() => app.close())
  await before?.(app)
  const all: AnyOptions = { failureForm: failureForm ?? undefined, realm: 'shop', auth: { bearer: verify }, ...options }
  await app.register(fastifyContract(contractOf(document), { ...all, handlers }))
  beside?.(app)
  return {
    app,
    listen: async () => {
      if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 })
      return `http://127.0.0.1:${String((app.server.address() as AddressInfo).port)}`
    },
    lines: () => logged.map((line) => JSON.parse(line) as Record<string, unknown>),
    send: async ({ method = 'GET', url = '/', headers: own = {}, body: payload }) => {
      const type = payload === undefined ? {} : { 'content-type': 'application/json' }
      const sent: Record<string, string | undefined> = { authorization: 'Bearer me', ...type, ...own }
      const response = await app.inject({
        // The type of light-my-request lists common methods only; it sends any.
        method: method as 'GET',
        url,
        headers: Object.fromEntries(
          Object.entries(sent).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
        ),
        ...(payload === undefined ? {} : { payload }),
      })
      const headers: Record<string, string> = {}
      for (const [name, value] of Object.entries(response.headers)) headers[name] = String(value)
      const received = { status: response.statusCode, headers, text: response.payload }
      if (!url.startsWith('/docs')) checkResponse(received)
      return received
    },
  }
}

/** The headers and the content of a form, for `inject`. */
export async function encoded(form: FormData | URLSearchParams, headers: Record<string, string>) {
  const response = new Response(form)
  const type = { 'content-type': response.headers.get('content-type') ?? '' }
  return { headers: { ...headers, ...type }, payload: Buffer.from(await response.arrayBuffer()) }
}

/** Serves `GET /` alone. @param responses any JSON by default */
export function serveGet(get: TestHandler, responses: object = ok, more: Shop = {}): Promise<ServedShop> {
  const operation = { operationId: 'get', security: [], responses: { ...responses, ...failures } }
  return serve({ paths: { '/': { get: operation } }, handlers: { get }, ...more })
}

/** Serves a contract to all tests of a file. @returns a function that returns the server */
export function shareServer(given: Shop = {}): () => ServedShop {
  let shared: ServedShop
  beforeAll(async () => {
    let close = () => Promise.resolve()
    shared = await serve(given, (finish) => (close = finish))
    return () => close()
  })
  return () => shared
}
