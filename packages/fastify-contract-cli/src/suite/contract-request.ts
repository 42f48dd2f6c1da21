import type { Parameter } from 'fastify-contract/document'
import type { Json } from './flat-schema.ts'

/** What a test sends; a header that is undefined is not sent. */
export interface ContractRequest {
  method: string
  /** The request target, without the base path of the server; sent as it is. */
  url: string
  headers?: Record<string, string | undefined>
  body?: string | Buffer
  /** Sends it without the credentials of the caller. */
  isAnonymous?: boolean
  /** Whether it has every parameter that it should have: one may be missing on purpose. */
  isWhole?: boolean
}

/** A parameter with its value. */
export type ParameterValue = [parameter: Parameter, value: Json]
