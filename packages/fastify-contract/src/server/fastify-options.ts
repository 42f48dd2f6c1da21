import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import type { FastifyBaseLogger, FastifyHttpOptions } from 'fastify'
import { isObject } from '../json/json.ts'
import { createHttpServer } from './connections/http-server.ts'
import { OpenConnections } from './connections/open-connections.ts'
import { ErrorPrinter, silent } from './error-printer.ts'
import { type FailureForm, problemDetails } from './failure-form.ts'
import { type Host, addHost } from './host.ts'
import { defaultLimits } from './limits.ts'
import type { ServerSettings } from './options.ts'
import { routedUrl } from './path-and-method.ts'
import { lazyCompilers } from './route-schemas.ts'

/**
 * Makes the Fastify options for the layers below the plugin: a Node server with limits on connections, one request at a
 * time on each connection, and responses to malformed HTTP. Other options may be added.
 *
 * @example
 * const app = fastify(fastifyOptions({ logger }))
 * await app.register(fastifyContract(contract, { handlers, auth }))
 */
export function fastifyOptions({
  logger: given,
  requestLoggers = true,
  ...settings
}: ServerSettings = {}): FastifyHttpOptions<Server> {
  const logger: FastifyBaseLogger = given === false ? silent : (given ?? new ErrorPrinter())
  const limits = { ...defaultLimits, ...settings.limits }
  const connections = new OpenConnections(limits.pipelinedBytes, () => {
    logger.info(`connection closed: more than ${String(limits.pipelinedBytes)} bytes wait behind unanswered requests`)
  })
  if (!connections.canStop) logger.warn(unstoppable)
  const host: Host = { limits, connections, failureForm: problemDetails, contracts: [], isPrepared: false }
  const failureForm: FailureForm = (failure) => host.failureForm(failure)
  return {
    serverFactory: (listener) => {
      const server = createHttpServer(listener, connections, limits, { ...settings, logger, failureForm })
      addHost(server, host)
      server.once('listening', collectEarlier)
      return server
    },
    loggerInstance: logger,
    ...(requestLoggers ? {} : { childLoggerFactory: (parent) => parent }),
    bodyLimit: limits.bodyBytes,
    rewriteUrl: routedUrl,
    ...routerOptions({ maxParamLength: limits.headerBytes }),
    return503OnClosing: false,
    schemaController: { compilersFactory: lazyCompilers },
    // answerConnectionErrors replaces Fastify's listener.
    clientErrorHandler: () => undefined,
  }
}

/**
 * Makes V8 collect garbage earlier, so that floods take two thirds of the memory. Earlier than here it would cost a tenth of
 * the CPU of the start. Node has no other way to set it (nodejs.org, "v8.setFlagsFromString").
 */
function collectEarlier(): void {
  setFlagsFromString('--heap-growing-percent=50')
}

const unstoppable =
  `the HTTP parser of Node ${process.version} cannot be stopped between requests, so a connection is closed behind a ` +
  'response if further requests wait; use a version of Node on which fastify-contract was tested'

const manifest: unknown = createRequire(import.meta.url)('fastify/package.json')

/** Before 5.5, Fastify has the options of its router among the others. */
function routerOptions(options: { maxParamLength: number }): FastifyHttpOptions<Server> {
  const version = isObject(manifest) ? String(manifest['version']) : ''
  return /^5\.[0-4]\./.test(version) ? options : { routerOptions: options }
}
