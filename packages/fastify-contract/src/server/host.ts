import type { Server } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { UnservableContract } from '../document/contract.ts'
import { registerClosing } from './connections/graceful-shutdown.ts'
import type { OpenConnections } from './connections/open-connections.ts'
import { hasOwnErrorHandler, registerErrorHandler } from './error-handler.ts'
import type { FailureForm } from './failure-form.ts'
import { type Limits, defaultLimits } from './limits.ts'
import { type ServedPaths, refuseMethods, refuseRequests } from './path-and-method.ts'
import { omitLengthOfHead } from './response-headers.ts'

/** A server on which contracts are served. */
export interface Host {
  limits: Limits
  /** Undefined for a server that was not created with `fastifyOptions`. */
  connections: OpenConnections | undefined
  /** The form of a failure that belongs to no contract: that of the first contract. */
  failureForm: FailureForm
  contracts: ServedPaths[]
  /** Whether it has what the first contract adds. */
  isPrepared: boolean
}

/** The name under which a Node server keeps its host, for every copy of the library. */
const hostKey = Symbol.for('fastify-contract.host')

/** Notes a server that was created with `fastifyOptions`. It may listen at several addresses, with a Node server for each. */
export function addHost(server: Server & { [hostKey]?: Host }, host: Host): void {
  server[hostKey] = host
}

/**
 * The host of a server. The first contract prepares it: what a whole server does for every request, and 405 on the paths of
 * contracts.
 *
 * @param app the server, or a context in it
 */
export function prepareHost(app: FastifyInstance, failureForm: FailureForm): Host {
  const { server }: { server: Server & { [hostKey]?: Host } } = app
  const host = server[hostKey] ?? {
    limits: defaultLimits,
    connections: undefined,
    failureForm,
    contracts: [],
    isPrepared: false,
  }
  if (host.isPrepared) return host
  host.isPrepared = true
  addHost(server, host)
  host.failureForm = failureForm
  const root = rootOf(app)
  if (host.connections === undefined) {
    root.addHook('onRequest', refuseMethods(root, host))
    return host
  }
  const { https, http2 } = app.initialConfig
  if (https !== undefined || http2 === true) throw new UnservableContract(otherServer)
  registerClosing(root, host.connections, host.limits)
  if (!hasOwnErrorHandler(root)) registerErrorHandler(root, failureForm)
  root.addHook('onRequest', refuseRequests(root, host))
  omitLengthOfHead(root)
  return host
}

const otherServer =
  'fastifyOptions makes a server of HTTP/1.1 without TLS, on which https and http2 have no effect; ' +
  'put a proxy in front of it, or create the server without fastifyOptions'

/** The outermost context. Fastify makes a context of the one around it, as its prototype (Fastify's guide to plugins). */
function rootOf(app: FastifyInstance): FastifyInstance {
  const around: unknown = Object.getPrototypeOf(app)
  return isContext(around) ? rootOf(around) : app
}

function isContext(value: unknown): value is FastifyInstance {
  return typeof value === 'object' && value !== null && 'addHook' in value
}
