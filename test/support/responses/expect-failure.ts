import { expect } from 'vitest'
import type { ReceivedResponse } from 'fastify-contract-cli/suite'
import { type ErrorName, errors } from '../../../src/failures.ts'

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
