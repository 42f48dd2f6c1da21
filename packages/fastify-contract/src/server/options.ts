import type { FastifyBaseLogger } from 'fastify'
import type { ContractTypes, Found, Handlers } from '../types/handler-types.ts'
import type { FailureForm } from './failure-form.ts'
import type { Limits } from './limits.ts'

/** The settings of the server below Fastify. */
export interface ServerSettings {
  /** A pino logger, or one with the same methods; none by default. */
  logger?: FastifyBaseLogger | undefined
  /** Replace some of `defaultLimits`. */
  limits?: Partial<Limits> | undefined
  /** Receives the status of each request that is rejected below Fastify, such as bytes that are not HTTP. */
  onConnectionRefused?: ((status: number) => void) | undefined
}

interface CommonOptions {
  /** Makes the reply to each failure that the server sends by itself; `problemDetails` by default. */
  failureForm?: FailureForm | undefined
  /** The protection space of the challenges (RFC 9110, section 11.5); the contract's title by default. */
  realm?: string | undefined
  /** The base paths of all operations, such as `/v1`; those of the contract's servers by default. */
  basePaths?: readonly string[] | undefined
  /** The path of the docs page, `/docs` by default, with the contract beside it; false for neither. */
  docs?: string | false | undefined
  /** Whether `Encoded` bodies are parsed and validated like others, for development; false by default. */
  checksEncoded?: boolean | undefined
  /** Receives the operationId of each reply that breaks the contract. */
  onContractBroken?: ((operationId: string) => void) | undefined
}

/** The options of a contract: a handler for each operation, a verifier for each security scheme, and the services. */
export type ContractOptions<Types extends ContractTypes, Services, Verifiers> = CommonOptions & {
  handlers: Handlers<Types, Services, Found<Verifiers>>
} & (keyof Types['schemes'] extends never ? { auth?: Verifiers } : { auth: Verifiers }) &
  (object extends Services ? { services?: Services } : { services: Services })

/** The options of a contract whose types are not known. */
export interface AnyContractOptions extends CommonOptions {
  handlers: object
  auth?: object
  services?: object
}
