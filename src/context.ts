import type { FoundCaller } from './auth/verifiers.ts'
import type { Caller, PlantStore } from './store/store.ts'

/** What a handler receives besides the request. */
export interface HandlerContext {
  /** What the verifiers found, by security scheme. */
  auth: Readonly<Record<string, FoundCaller | undefined>>
  plants: PlantStore
}

/** The owner of a request's credentials. The contract asks for them on each operation, under any name. */
export function callerOf(auth: HandlerContext['auth']): Caller {
  return Object.values(auth)[0]!.caller
}
