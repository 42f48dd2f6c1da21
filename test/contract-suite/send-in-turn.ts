import type { ContractRequest, ReceivedResponse } from 'fastify-contract-cli/suite'
import { expect } from 'vitest'
import type { OwnRequest } from './own-requests.ts'

/** Sends own requests one after the other, and expects their statuses. */
export async function sendInTurn(
  requests: readonly OwnRequest[],
  send: (request: ContractRequest) => Promise<ReceivedResponse>,
): Promise<void> {
  let last: ReceivedResponse = { status: 0, headers: {}, text: '' }
  for (const [status, request] of requests) {
    const sent = typeof request === 'function' ? request(last) : request
    last = await send(sent)
    expect(last.status, `${sent.method} ${sent.url}: ${last.text}`).toBe(status)
  }
}
