import type { FailureName } from 'fastify-contract'
import {
  type Case,
  type ContractSuite,
  type Judge,
  type ReceivedResponse,
  type Result,
  type SuiteOptions,
  createContractSuite,
} from 'fastify-contract-cli/suite'
import { expect, test } from 'vitest'
import {
  errorNumber,
  errorOf,
  expectedContract,
  expectedErrors,
  rules,
} from '../support/responses/expected-contract.ts'

const { CONTRACT_SEED, CONTRACT_SCALE = '1', CONTRACT_PATH, CONTRACT_PART } = process.env

/** Whether this run covers everything, so that its coverage can be checked. */
export const isWholeRun = CONTRACT_PART === undefined

/** What the server sends by itself, and never to a valid request. */
const ofServer = {
  malformed_body: true,
  invalid_request: true,
  malformed_http: true,
  credentials_missing: true,
  token_invalid: true,
  insufficient_scope: true,
  path_not_found: true,
  method_not_allowed: true,
  request_timeout: true,
  body_too_large: true,
  unsupported_media_type: true,
  rate_limited: true,
  headers_too_large: true,
  internal: true,
  not_implemented: true,
  unavailable: true,
  request_refused: true,
} as const satisfies Record<FailureName, true>

/** The errors of handlers, which valid requests get, too: they depend on stored data. */
const errorsOfState: readonly unknown[] = [...expectedErrors]
  .filter(([name]) => !Object.hasOwn(ofServer, name))
  .map(([, number]) => number)

/** Each refusal has a defined stage, number and place. */
const judge: Judge = (response, expected) => {
  if (expected.isAllowed) {
    if (response.status >= 300) expect(errorsOfState, response.text).toContain(errorOf(response))
    return undefined
  }
  const error = errorNumber(expected.failure)
  // Messages name headers as Node does.
  const place = expected.place.replace(/^header\/.*/, (header) => header.toLowerCase())
  const wanted = { error, message: expect.stringContaining(place) as string }
  expect({ status: response.status, body: JSON.parse(response.text) as unknown }).toEqual({
    status: Math.floor(error / 100),
    body: wanted,
  })
  // RFC 6750, section 3.1: a request without credentials gets no error parameter.
  const challenge = String(response.headers['www-authenticate'])
  expect(challenge.includes(' error="')).toBe(expected.failure === 'token_invalid')
  return undefined
}

/** The suite of the Plant Store's contract, for a server. */
export function createPlantStoreSuite(options: SuiteOptions): ContractSuite {
  return createContractSuite(expectedContract, {
    isStrict: true,
    bodyLimit: 65_536,
    rules,
    judge,
    scale: Number(CONTRACT_SCALE),
    path: CONTRACT_PATH,
    ...(CONTRACT_SEED === undefined ? {} : { seed: Number(CONTRACT_SEED) }),
    ...options,
  })
}

/** Runs a case as a vitest test. */
export function testCase({ seed, timeout }: ContractSuite, { title, run }: Pick<Case, 'title' | 'run'>): void {
  test(title, { timeout }, async () => {
    const result = await run()
    if (result.verdict !== 'ok') throw new Error(textOf(result, seed))
  })
}

function textOf(result: Exclude<Result, { verdict: 'ok' }>, seed: number): string {
  if (result.verdict === 'left out') return `left out, ${result.because}: ${result.reason}`
  if (result.verdict === 'not judged') return `not judged: ${result.reason}`
  const texts = result.faults.map(({ problem, counterexample }) => {
    if (counterexample === undefined) return problem
    const { shown, path } = counterexample
    const repeated = `--seed ${String(seed)} --path ${path} --only ${JSON.stringify(result.title)}`
    return `${problem}\n\nThe smallest that fails: ${shown}\nRepeat it: npm run test:contract -- ${repeated}\n`
  })
  return texts.join('\n')
}

/** Expects a failure by its name. */
export function expectError(response: ReceivedResponse, name: string, hint?: string): void {
  expect(errorOf(response), hint).toBe(errorNumber(name))
}
