import { describe, expect, test } from 'vitest'
import { startService } from '../contract-client.ts'
import { ownRequests } from '../own-requests.ts'

/** More than this part sends. */
const rateLimit = 600

/** Tests the service's own requests, and what is said of rates where the operator has limited them. */
export function testOwnRequests(): void {
  describe("the service's own requests", () => {
    test('have their statuses', async () => {
      const { send } = await startService()
      for (const [status, request] of ownRequests)
        expect((await send(request)).status, `${request.method} ${request.url}`).toBe(status)
    })

    test('are told how many requests are left where rates are limited', async () => {
      const { send } = await startService({ rateLimit })
      for (const [index, [status, request]] of ownRequests.entries()) {
        const response = await send(request)
        expect({
          status: response.status,
          left: /^"caller";r=(\d+);/.exec(String(response.headers['ratelimit']))?.[1],
        }).toEqual({ status, left: String(rateLimit - 1 - index) })
      }
    })
  })
}
