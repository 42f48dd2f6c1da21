import { expect, test } from 'vitest'
import { exchange } from '../../support/client/exchange.ts'
import { expectFailure } from '../../support/responses/expect-failure.ts'
import { assertKeepsContract } from '../../support/responses/check-response.ts'
import { startApp } from '../../support/server/start-app.ts'

const body = '{"id":1,"name":"a"}'

function head(authorization: string, expectation: string, length = body.length): string {
  return (
    `POST /plants HTTP/1.1\r\nHost: x\r\n${authorization}Content-Type: application/json\r\n` +
    `Content-Length: ${String(length)}\r\nExpect: ${expectation}\r\nConnection: close\r\n\r\n`
  )
}

async function untilContinue(received: () => string): Promise<void> {
  while (!received().includes('\r\n\r\n')) await new Promise((resolve) => setTimeout(resolve, 2))
}

test.each(['100-continue', '100-Continue'])(
  'a client that expects %s gets leave to send its body, and then the answer',
  async (expectation) => {
    const { token, listen } = await startApp()
    const [interim, response] = await exchange(
      await listen(),
      head(`Authorization: Bearer ${token}\r\n`, expectation),
      untilContinue,
      body,
    )
    expect(interim?.status).toBe(100)
    expect(response).toMatchObject({ status: 200, text: '{"name":"a"}' })
  },
)

test('a client without credentials is refused and gets no leave to send its body', async () => {
  const { listen } = await startApp()
  const responses = await exchange(await listen(), head('', '100-continue'))
  expect(responses).toHaveLength(1)
  expectFailure(responses[0]!, 'credentials_missing')
  assertKeepsContract({ method: 'POST', url: '/plants' }, responses[0]!)
})

test('a client whose body would be too large is refused', async () => {
  const { token, listen } = await startApp()
  const responses = await exchange(
    await listen(),
    head(`Authorization: Bearer ${token}\r\n`, '100-continue', 2_000_000),
  )
  expectFailure(responses.at(-1)!, 'body_too_large')
})

test('an expectation that the server does not know is ignored', async () => {
  const { token, listen } = await startApp()
  const responses = await exchange(await listen(), head(`Authorization: Bearer ${token}\r\n`, '200-ok'), body)
  expect(responses).toMatchObject([{ status: 200, text: '{"name":"a"}' }])
})
