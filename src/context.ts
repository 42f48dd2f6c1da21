import type { Types } from '../generated/contract.ts'
import type { FoundCaller } from './auth/verifiers.ts'
import type { Caller, PlantStore, Sql } from './store/store.ts'

type Scheme = keyof Types['schemes']

/** What a handler receives besides the request. */
export interface HandlerContext {
  /** What a verifier found, by its security scheme, whatever its name. A handler of a public operation does not compile. */
  auth: { [Name in Scheme]: Readonly<Record<Name, FoundCaller>> }[Scheme]
  plants: PlantStore
  /** Reads and writes any table. */
  sql: Sql
}

/** The owner of a request's credentials. */
export function callerOf(auth: HandlerContext['auth']): Caller {
  // All schemes of the alternative that the credentials satisfy have the same.
  return Object.values<FoundCaller>(auth)[0]!.caller
}
