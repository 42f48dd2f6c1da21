import type { ContractOperation } from 'fastify-contract/document'
import type { Credentials } from '../ground/contract-request.ts'
import type { TestedContract } from '../ground/contract.ts'
import type { Exchange, WireRequest } from '../ground/exchange.ts'
import { Fault, Unjudged } from '../ground/fault.ts'
import { LeftOut } from '../ground/left-out.ts'
import { attempt } from '../ground/no-generator.ts'
import {
  type Additions,
  givenValues,
  knownAlternatives,
  onWire,
  schemesOf,
  wantsCredentials,
} from '../write/credentials.ts'
import { validRequest } from '../write/requests.ts'
import { messageOf } from './message-of.ts'
import { type Choice, isSkipped, skippedOperations } from './skipped.ts'

/** A wrong response is one too. @throws Unjudged */
export async function assertReachable(exchange: Exchange): Promise<void> {
  try {
    await exchange({ method: 'GET', url: '/', headers: {} })
  } catch (error) {
    if (error instanceof Fault && error.kind !== 'no response') return
    if (!(error instanceof Fault || error instanceof LeftOut)) throw error
    throw new Unjudged(`the server cannot be reached: ${messageOf(error)}`, { cause: error })
  }
}

/** What requests have with which credentials are tried. */
interface Caller extends Additions, Choice {
  auth?: Credentials
}

/** @throws Unjudged if no operation takes the credentials of a scheme */
export async function assertAccepted(contract: TestedContract, exchange: Exchange, caller: Caller): Promise<void> {
  const { auth = {} } = caller
  const schemes = schemesOf(contract, auth, caller)
  const skipped = skippedOperations(contract, caller)
  const source = { ...contract, given: givenValues(caller) }
  const takes = (operation: ContractOperation, scheme: string) =>
    wantsCredentials(operation) && knownAlternatives(operation, schemes)[0]?.includes(scheme) === true
  for (const scheme of schemes) {
    const tried = contract.operations
      .filter((operation) => takes(operation, scheme))
      .toSorted((a, b) => Number(b.method === 'get') - Number(a.method === 'get'))
      .slice(0, 5)
    let isRefused = false
    for (const operation of tried) {
      const request = attempt('', {}, () => validRequest(operation, source))
      if (request === undefined || isSkipped(contract, skipped, request)) continue
      isRefused = (await statusOf(exchange, onWire(contract, request, auth, caller))) === 401
      if (!isRefused) break
    }
    if (isRefused) {
      throw new Unjudged(`every request with the credentials of ${scheme} got 401; check them`)
    }
  }
}

/** The status of a response; undefined for a wrong one, which the cases report. */
async function statusOf(exchange: Exchange, request: WireRequest): Promise<number | undefined> {
  try {
    return (await exchange(request)).status
  } catch (error) {
    if (error instanceof Fault || error instanceof LeftOut) return undefined
    throw error
  }
}
