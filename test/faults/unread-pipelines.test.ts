import { test } from 'vitest'
import { expectCheapPipelines, serve } from '../support/unread-connections.ts'

test.each([
  [
    'a file of the docs page',
    'GET /docs/static/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n\r\n',
    { bytes: 59_000, connections: 40, reads: 10 },
  ],
  ['a request without a field', 'GET / HTTP/1.1\r\n\r\n', { bytes: 65_536, connections: 8, reads: 3_000 }],
])(
  'a connection that sends a segment full of requests for %s and reads nothing costs 2 MiB at most',
  { timeout: 60_000 },
  async (_what, request, load) => {
    await expectCheapPipelines(await serve(0), request, load)
  },
)
