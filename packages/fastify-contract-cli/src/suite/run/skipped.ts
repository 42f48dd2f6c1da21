import type { ContractOperation } from 'fastify-contract/document'
import { type SentRequest, type TestedContract, chosenOperation, operationOf } from '../ground/contract.ts'
import type { Exchange } from '../ground/exchange.ts'
import { LeftOut } from '../ground/left-out.ts'
import { plainPath } from '../state/known-items.ts'
import type { Tools } from '../state/test-case.ts'

/** What is named by whoever runs the suite: ids, or methods and paths, of operations. */
export interface Choice {
  /** Nothing is sent to these. */
  skip?: readonly string[]
  /** The only operation to test. */
  only?: string | undefined
}

/** The operations to which nothing is sent, each with the reason. @throws Unjudged for the name of none */
export function skippedOperations(contract: TestedContract, { skip = [], only }: Choice): Tools['skipped'] {
  const wanted = only === undefined ? undefined : chosenOperation(contract, only)
  const harmful = contract.operations.filter((operation) => operation !== wanted && isHarmful(operation))
  const reason = 'by its name it may stop the server, or take its data away; --only tests it'
  return new Map([
    ...harmful.map((operation) => [operation, reason] as const),
    ...skip.map((name) => [chosenOperation(contract, name), '--skip'] as const),
  ])
}

/** Whether an operation seems to end a server or what it holds: its path or its id has a word for that. */
function isHarmful({ path, id }: ContractOperation): boolean {
  const words = `${path} ${id}`
    .replaceAll(/\{[^{}]*\}/g, ' ')
    .replaceAll(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^A-Za-z]+/g, ' ')
  return /\b(?:shut ?down|restart|reset|purge)\b/i.test(words)
}

/** Whether a server may take a request for one to a skipped operation: a value in a path may be its name. */
export function isSkipped(contract: TestedContract, skipped: Tools['skipped'], { method, url }: SentRequest): boolean {
  const readings = [url, plainPath(url)].map((path) => operationOf(contract, { method, url: path }))
  return readings.some((operation) => operation !== undefined && skipped.has(operation))
}

/** Sends requests, but none to a skipped operation. @throws LeftOut for one */
export function avoiding(contract: TestedContract, skipped: Tools['skipped'], exchange: Exchange): Exchange {
  if (skipped.size === 0) return exchange
  return (request) => {
    if (!isSkipped(contract, skipped, request)) return exchange(request)
    throw new LeftOut('skipped', `${request.method} ${request.url} goes to an operation that is left out`)
  }
}
