import { join } from 'node:path'
import { expect } from 'vitest'
import { contract } from '../../../generated/contract.ts'
import { type ErrorName, errors } from '../../../src/failures.ts'
import { documentOf } from 'fastify-contract/document'
import {
  type ReceivedResponse,
  type ResponseRules,
  type SentRequest,
  assertKeepsContract as assertKeeps,
  readContract,
} from 'fastify-contract-cli/suite'

/** The generated contract of the project or of another folder. */
export async function generatedContract(folder: string | undefined): Promise<typeof contract> {
  if (folder === undefined) return contract
  // `npm run proofs -- mutants` writes it.
  return ((await import(join(folder, 'generated/contract.ts'))) as { contract: typeof contract }).contract
}

/** The contract that responses are validated against: the project's, or a mutant's. */
export const expectedContract = readContract(
  documentOf(await generatedContract(process.env['EXPECTED_CONTRACT_FOLDER'])),
)

/** Further headers of the docs page. */
const pageHeaders = (
  'content-security-policy cross-origin-resource-policy referrer-policy x-dns-prefetch-control x-download-options ' +
  'x-frame-options x-permitted-cross-domain-policies x-xss-protection'
).split(' ')

/** The rules for every response, from the contract's description. */
export const rules: ResponseRules = {
  isClosed: true,
  headers: {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    // RFC 9110, section 6.6.1: an origin server with a clock dates its responses.
    date: / GMT$/,
  },
  // What a 415 accepts: of a coding, as its description says, and of a PATCH (RFC 5789, section 2.2).
  otherHeaders: (url) => (url.startsWith('/docs/') ? pageHeaders : ['accept-encoding', 'accept-patch']),
}

// The contract has as many names as numbers.
const { enum: numbers = [], 'x-enum-varnames': names = [] } = (
  expectedContract.document.components?.schemas?.['Error'] as {
    properties: { error: { enum?: number[]; 'x-enum-varnames'?: string[] } }
  }
).properties.error

/** The contract's error numbers by their names. */
export const expectedErrors: ReadonlyMap<string, number> = new Map(
  names.map((name, index) => [name, numbers[index] ?? NaN]),
)

/** The number of a failure. @throws Error when the contract has no such failure */
export function errorNumber(name: string): number {
  const number = expectedErrors.get(name)
  if (number === undefined) throw new Error(`the contract has no error number for ${name}`)
  return number
}

/** The number of a failure; undefined for other bodies. */
export function errorOf({ text }: Pick<ReceivedResponse, 'text'>): unknown {
  return text === '' ? undefined : (JSON.parse(text) as { error?: unknown }).error
}

/** Validates a response. @throws Error that names each fault */
export function assertKeepsContract(request: SentRequest, response: ReceivedResponse): void {
  assertKeeps(expectedContract, request, response, rules)
}

/**
 * Expects that a response is one of the contract's failures: its status, its number, and a message.
 *
 * @returns the message
 */
export function expectFailure({ status, text }: Pick<ReceivedResponse, 'status' | 'text'>, name: ErrorName): string {
  const body = JSON.parse(text) as { message: string }
  expect({ status, body }).toEqual({
    status: Math.floor(errors[name] / 100),
    body: { error: errors[name], message: expect.stringMatching(/./) as string },
  })
  return body.message
}
