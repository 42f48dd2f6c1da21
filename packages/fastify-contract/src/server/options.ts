import type { FastifyBaseLogger } from 'fastify'
import type { EngineOptions } from '../engine/engine.ts'
import type { Chosen, ContractTypes, Found, Handlers } from '../types/handler-types.ts'
import type { FailureForm } from './failure-form.ts'
import type { Limits } from './limits.ts'

/** The settings of the server below Fastify. */
export interface ServerSettings {
  /** A pino logger, or one with the same methods; false for none. By default, errors are printed to standard error. */
  logger?: FastifyBaseLogger | false | undefined
  /** Whether each request has a logger, whose lines have its id as `reqId`; true by default. Before 5.7, Fastify always has. */
  requestLoggers?: boolean | undefined
  /** Replace some of `defaultLimits`. */
  limits?: Partial<Limits> | undefined
  /** Receives the status of each request that is rejected below Fastify, such as bytes that are not HTTP. */
  onConnectionRefused?: ((status: number) => void) | undefined
}

interface CommonOptions extends Pick<EngineOptions, 'checksEncoded' | 'compilesOnDemand' | 'onContractBroken'> {
  /** Makes the reply to each failure that the server sends by itself; `problemDetails` by default. */
  failureForm?: FailureForm | undefined
  /** The protection space of the challenges (RFC 9110, section 11.5); the contract's title by default. */
  realm?: string | undefined
  /** The base paths of all operations, such as `/v1`; those of the contract's servers by default. */
  basePaths?: readonly string[] | undefined
  /** The path of the docs page, `/docs` by default, with the contract beside it; false for neither. */
  docs?: string | false | undefined
}

/**
 * The options of a contract: a handler for each operation, a verifier for each security scheme, and the services.
 *
 * @typeParam Only the names of the operations that are served
 */
export type ContractOptions<
  Types extends ContractTypes,
  Services,
  Verifiers,
  Only = keyof Types['operations'],
> = OptionsOf<Chosen<Types, NoInfer<Only>>, Services, Verifiers> & {
  /** The operations that are served, by their names; all by default. The others need no handler. */
  only?: readonly Only[] | undefined
}

type OptionsOf<Types extends ContractTypes, Services, Verifiers> = CommonOptions & {
  handlers: Handlers<Types, Services, Found<Verifiers>>
  /**
   * Names whom the credentials of a scheme are of, by what its verifier returned. Where an alternative of `security` asks
   * for several schemes, all of them must then name the same (`===`); otherwise they are refused with 401. Without it,
   * they may be of different callers, such as a user and an application.
   */
  callerOf?: ((found: Found<Verifiers>[keyof Verifiers]) => unknown) | undefined
} & (keyof Types['schemes'] extends never ? { auth?: Verifiers } : { auth: Verifiers }) &
  (object extends Services ? { services?: Services } : { services: Services })

/** The options of a contract whose types are not known. */
export interface AnyContractOptions extends CommonOptions {
  only?: readonly PropertyKey[] | undefined
  handlers: object
  callerOf?: ((found: never) => unknown) | undefined
  auth?: object
  services?: object
}
