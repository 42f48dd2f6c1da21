import { expect } from 'vitest'
import { type ErrorName, errors } from '../../../generated/errors.ts'
import type { ReceivedResponse } from 'fastify-contract-cli/suite'

/**
 * Expects that a response is one of the contract's failures: its status, its number, and a message.
 *
 * @returns the message
 */
export function expectFailure({ status, text }: Pick<ReceivedResponse, 'status' | 'text'>, name: ErrorName): string {
  const body = JSON.parse(text) as { message: string }
  expect({ status, body }).toEqual({
    status: errors[name].status,
    body: { error: errors[name].error, message: expect.stringMatching(/./) as string },
  })
  return body.message
}
