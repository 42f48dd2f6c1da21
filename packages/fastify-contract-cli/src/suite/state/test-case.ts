import type fc from 'fast-check'
import type { ContractOperation } from 'fastify-contract/document'
import type { TestedContract } from '../ground/contract.ts'
import type { ContractRequest } from '../ground/contract-request.ts'
import type { ReceivedResponse } from '../ground/exchange.ts'
import type { Expectation } from '../ground/fault.ts'
import type { SchemaSource } from '../draw/flat-schema.ts'
import type { KnownItems } from './known-items.ts'

/**
 * Sends a request as one caller, unless it says otherwise, and checks, judges and counts the response.
 *
 * @throws Error when it breaks the contract, or is not the expected one
 */
export type Send = (sent: ContractRequest, expected?: Expectation) => Promise<ReceivedResponse>

/** Tries a property, each time with other values. */
export type Check = <Drawn>(
  arbitrary: fc.Arbitrary<Drawn>,
  runs: number,
  test: (drawn: Drawn) => Promise<void>,
) => Promise<void>

/** What the cases work with. */
export interface Tools {
  contract: TestedContract & SchemaSource
  isStrict: boolean
  /** The schemes of which a caller has credentials. */
  schemes: readonly string[]
  /** The operations to which nothing is sent, each with the reason. */
  skipped: ReadonlyMap<ContractOperation, string>
  bodyLimit: number | undefined
  /** Requests that make what the examples of an operation need, by its id; without it, examples are not tested. */
  needs: Partial<Record<string, readonly ContractRequest[]>> | undefined
  /** Gives a sender for a new caller without data. */
  newCaller: () => Promise<Send>
  /** A sender for a caller other than all of those; undefined without one. */
  stranger: Send | undefined
  /** What exists, so that requests find it. */
  items: KnownItems
  /** Checks that the refused requests of a caller have changed nothing. */
  assertUnchanged: (send: Send) => Promise<void>
  /** Sends what a report need not show, unless it fails. */
  aside: (run: () => Promise<void>) => Promise<void>
  /** Takes what is neither right nor a fault. */
  note: (text: string) => void
  check: Check
}

/** The rule that the requests of a test break, and where. */
export interface BrokenRule {
  place: string
  rule: string
}

/** One thing to test, by its title. */
export interface Test {
  title: string
  /** About how many requests it sends where there is time for all. Its share of the time follows from it. */
  weight: number
  broken?: BrokenRule
  /** @throws LeftOut, or another Error when the server breaks the contract */
  run: () => Promise<void>
}
