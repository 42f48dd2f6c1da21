import { test } from 'vitest'
import { expectCheapPipelines, serve } from '../../support/server/unread-connections.ts'

test(
  'a connection that sends a segment full of requests for a file of the docs and reads nothing costs 2 MiB at most',
  { timeout: 60_000 },
  async () => {
    const request = 'GET /docs/static/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n\r\n'
    await expectCheapPipelines(await serve(0), request, { bytes: 59_000, connections: 40, reads: 10 })
  },
)
