import { expect, test } from 'vitest'
import { exchange } from '../support/client/exchange.ts'
import { startApp } from '../support/server/start-app.ts'

function parsed(logLines: string[]): Record<string, unknown>[] {
  return logLines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

test('each request has one line: what was asked, how it ended, how long it took', async () => {
  const { send, logLines } = await startApp()
  await send({ method: 'POST', url: '/plants', body: { id: 54, name: 'a' } })
  await send({ method: 'GET', url: '/plants' })
  await send({ method: 'DELETE', url: '/plants/54' })
  await send({ method: 'DELETE', url: '/plants/54' })
  await send({ method: 'GET', url: '/nowhere' })
  const lines = parsed(logLines)
  expect(lines.map(({ method, operation, path, status }) => ({ method, operation, path, status }))).toEqual([
    { method: 'POST', operation: 'createPlant', path: undefined, status: 200 },
    { method: 'GET', operation: 'listPlants', path: undefined, status: 200 },
    { method: 'DELETE', operation: 'deletePlant', path: undefined, status: 204 },
    { method: 'DELETE', operation: 'deletePlant', path: undefined, status: 404 },
    { method: 'GET', operation: undefined, path: '/nowhere', status: 404 },
  ])
  for (const line of lines)
    expect(line).toMatchObject({
      level: 30,
      milliseconds: expect.any(Number) as number,
      requestId: expect.any(String) as string,
    })
})

test.each([
  ['a good token', 200, {}],
  ['a bad token', 401, { authorization: 'Bearer plst_secretsecretsecret' }],
  ['a token without a scheme', 401, { authorization: 'plst_secretsecretsecret' }],
])('with %s neither the credentials nor any other header is logged', async (_description, status, headers) => {
  const { send, token, logLines } = await startApp()
  expect(
    (
      await send({
        method: 'GET',
        url: '/plants',
        headers: { cookie: 'secret=1', 'user-agent': 'secret agent', ...headers },
      })
    ).status,
  ).toBe(status)
  expect(logLines).toHaveLength(1)
  expect(logLines.join()).not.toContain(token)
  expect(logLines.join()).not.toMatch(/plst_|secret|authorization|bearer/i)
})

test.each([
  ['a body', { method: 'POST', url: '/plants', body: '{"id":4815162342,"name":"secret"}' }],
  ['a malformed body', { method: 'POST', url: '/plants', body: '{"id":4815162342,"name":"secret"' }],
  ['a name that is given twice', { method: 'POST', url: '/plants', body: '{"secret":1,"secret":2}' }],
  ['a query', { method: 'GET', url: '/plants?secret=4815162342' }],
  ['a query of a path that there is not', { method: 'GET', url: '/nowhere?secret=4815162342' }],
  ['an id', { method: 'DELETE', url: '/plants/4815162342' }],
])('%s is not logged', async (_description, request) => {
  const { send, logLines } = await startApp()
  await send(request)
  expect(logLines).toHaveLength(1)
  expect(logLines.join()).not.toMatch(/secret|4815162342/)
})

test('a token that was put into the path is taken out of the log', async () => {
  const { send, token, logLines } = await startApp()
  for (const url of [`/${token}`, `/plants/54/${token}/x`, `/Bearer%20${token}?token=${token}`])
    await send({ method: 'GET', url })
  expect(logLines).toHaveLength(3)
  expect(logLines.join()).not.toContain(token.slice(5))
  expect(logLines.join()).toContain('/plants/54/[token]/x')
})

test('a percent-encoded token in the path is taken out of the log too', async () => {
  const { send, token, logLines } = await startApp()
  for (const url of [
    `/${token.replace('_', '%5f')}`,
    `/plants/54/${token.replace('_', '%255F')}/x`,
    `/%zz${token.replace('p', '%70')}`,
  ])
    await send({ method: 'GET', url })
  expect(logLines).toHaveLength(3)
  expect(logLines.join()).not.toContain(token.slice(5))
  expect(logLines.join()).toContain('/plants/54/[token]/x')
})

test('a token in a broken request is not logged', async () => {
  const { token, listen, logLines } = await startApp()
  const origin = await listen()
  await exchange(origin, `GET /${token} HTTP/1.1\r\nHost x\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  await exchange(
    origin,
    `GET /%${token} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
  )
  await exchange(origin, `CONNECT ${token}:80 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  expect(parsed(logLines).filter(({ status }) => status !== undefined)).toHaveLength(3)
  expect(logLines.join()).not.toContain(token.slice(5))
})

test('a line break in a path does not begin a new line in the log', async () => {
  const { send, logLines } = await startApp()
  await send({ method: 'GET', url: '/a%0A%7B%22level%22:60%7D' })
  expect(logLines.map((line) => line.trimEnd().split('\n').length)).toEqual([1])
})

test('a target that no route can have is logged as it was sent, without its query', async () => {
  const { send, logLines } = await startApp()
  await send({ method: 'GET', url: '/plants?limit=%zz' })
  await send({ method: 'GET', url: '/pl%zzants' })
  expect(parsed(logLines).map(({ path, status }) => [path, status])).toEqual([
    ['/plants', 400],
    ['/pl%zzants', 400],
  ])
})
