export { serve } from './server/serve.ts'
export { fastifyContract } from './server/plugin.ts'
export { fastifyOptions } from './server/fastify-options.ts'
export { inputOf, signalOf } from './server/operation-input.ts'
export type { ContractOptions, ServerSettings } from './server/options.ts'
export { type Contract, UnservableContract } from './document/contract.ts'
export { authOf } from './server/authentication.ts'
export { type AuthByKind, type VerifiersByKind, authByKind } from './server/auth-by-kind.ts'
export type { Limits } from './server/limits.ts'
export { failed } from './engine/failed.ts'
export { type StandIn, notImplemented, standInForNotImplemented } from './engine/not-implemented.ts'
export { type FailureName, Refusal, unavailable } from './engine/refusal.ts'
export { type FailureForm, type FailureReply, type ServerFailure, problemDetails } from './server/failure-form.ts'
export { commonHeaders } from './server/response-headers.ts'
export { sendJson } from './server/send.ts'
export type { Encoded } from './types/encoded.ts'
export type {
  Auth,
  BasicCredentials,
  ContractTypes,
  Handler,
  Handlers,
  Input,
  Reply,
  Schemas,
} from './types/handler-types.ts'
export type { Context, Found } from './types/handler-types.ts'
