import type { FastifyBaseLogger, FastifyServerOptions } from 'fastify'
import type { Server } from 'node:http'
import { createHttpServer } from './connections/http-server.ts'
import { OpenConnections } from './connections/open-connections.ts'
import { type Limits, defaultLimits } from './limits.ts'
import { routedUrl } from './path-and-method.ts'
import type { FailureBody } from '../engine/refusal.ts'

export interface ServerSettings {
  logger: FastifyBaseLogger
  /** Gives the server's own failures the body that the contract declares. */
  failureBody: FailureBody
  /** Receives the status of each request that is refused below Fastify, such as bytes that are not HTTP. */
  onRefused?: ((status: number) => void) | undefined
  /** Limits that replace those of `defaultLimits`. */
  limits?: Partial<Limits> | undefined
}

/** What the plugin takes over from the options that the server was created with. */
interface CreatedWith {
  connections: OpenConnections
  limits: Limits
  failureBody: FailureBody
}

const createdWith = new WeakMap<Server, CreatedWith>()

/**
 * Makes the options of Fastify for what lies below a plugin: Node's server with all limits of a connection, one request
 * of a connection at a time, and the answers to bytes that Node's parser refuses. More options may be added.
 *
 * @example
 * const app = fastify(fastifyOptions({ logger, failureBody }))
 * await app.register(fastifyContract, { contract, handlers, ... })
 */
export function fastifyOptions({ logger, failureBody, onRefused, limits: given }: ServerSettings) {
  const limits = { ...defaultLimits, ...given }
  const refusals = { log: logger, failureBody, onRefused: onRefused ?? ignore }
  const connections = new OpenConnections(limits.pipelinedRequests, () => {
    logger.info(
      `connection closed: more than ${String(limits.pipelinedRequests)} requests wait for the answer before them`,
    )
  })
  return {
    serverFactory: (listener) => {
      const server = createHttpServer(listener, connections, limits, refusals)
      createdWith.set(server, { connections, limits, failureBody })
      return server
    },
    loggerInstance: logger,
    // The log line of a request has its id, so it needs no logger of its own.
    childLoggerFactory: (parent) => parent,
    bodyLimit: limits.bodyBytes,
    rewriteUrl: ({ url = '/' }) => routedUrl(url),
    routerOptions: { maxParamLength: limits.headerBytes },
    return503OnClosing: false,
    // No route has a schema of Fastify's. Without these Fastify would load an Ajv and a serializer of its own.
    schemaController: { compilersFactory: { buildValidator: noRouteSchema, buildSerializer: noRouteSchema } },
    // Fastify's own listener; answerConnectionErrors answers in its place.
    clientErrorHandler: () => undefined,
  } satisfies FastifyServerOptions
}

/** @throws Error where the server was created with other options */
export function settingsOf(server: Server): CreatedWith {
  const settings = createdWith.get(server)
  if (settings === undefined) throw new Error('create the server with fastify(fastifyOptions({ logger, failureBody }))')
  return settings
}

function ignore(): void {
  // Nobody counts refusals.
}

function noRouteSchema(): never {
  throw new Error('openapi-backend validates requests; a route has no schema of its own')
}
