import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../support/server/start-app.ts'
import { LogSecrets } from '../../support/log/log-secrets.ts'
import { startProcess } from '../../support/server/start-process.ts'

test('a server that logs all it can repeats no token, query or body, and prints its first token once', async () => {
  const { origin, stdout, stderr, end } = await startProcess({
    DATABASE_URL: `sqlite:${join(await temporaryFolder(), 'plants.db')}`,
    LOG_LEVEL: 'trace',
  })
  onTestFinished(() => end())
  const token = /^Token +(plst_\S+)$/m.exec(stdout())?.[1] ?? ''
  const authorization = `Bearer ${token}`
  const secrets = new LogSecrets()
  const requests: [string, RequestInit][] = [
    [
      '/plants',
      {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: '{"id":54,"name":"a secret plant","tag":"a secret tag"}',
      },
    ],
    [
      '/plants',
      {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: '{"id":54,"name":"a secret plant"',
      },
    ],
    ['/plants?limit=999999999999', { headers: { authorization } }],
    ['/plants?secret=secret-query-value', { headers: { authorization: 'Bearer plst_another-secret-token' } }],
    [`/nowhere/${token}?q=secret-query-value`, { headers: { authorization } }],
    [`/%${token}`, { headers: { authorization } }],
  ]
  for (const [url, init] of requests) {
    secrets.noteRequest({ url, headers: Object.fromEntries(new Headers(init.headers)) })
    if (typeof init.body === 'string') secrets.noteBody(init.body)
    await (await fetch(`${origin}${url}`, init)).text()
  }
  await end()
  const lines = stderr().trim().split('\n')
  expect(lines.filter((line) => line.includes('"status"'))).toHaveLength(requests.length)
  secrets.assertAbsent(lines)
  expect(stderr()).not.toMatch(/secret|999999999999/)
  expect(
    stdout()
      .split('\n')
      .filter((line) => line.includes(token) && line.startsWith('Token')),
  ).toHaveLength(1)
})
