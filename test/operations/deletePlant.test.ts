import { expect, test } from 'vitest'
import { expectFailure } from '../support/responses/expect-failure.ts'
import { type TestCaller, shareApp } from '../support/server/start-app.ts'

const newCaller = shareApp()

/** A caller who has the plants with these ids, each named after its id. */
async function callerWith(...ids: bigint[]): Promise<TestCaller> {
  const started = await newCaller()
  for (const id of ids) await started.store.create(started.caller, { id, name: String(id) })
  return started
}

async function names({ send }: TestCaller): Promise<string[]> {
  const { text } = await send({ method: 'GET', url: '/plants' })
  return (JSON.parse(text) as { name: string }[]).map(({ name }) => name)
}

const remove = (segment: bigint | string) => ({ method: 'DELETE', url: `/plants/${String(segment)}` })

test('a plant is deleted, the answer has neither body nor media type, and then it is not found', async () => {
  const started = await callerWith(54n, 55n)
  const { status, headers, text } = await started.send(remove(54n))
  expect({ status, text, type: headers['content-type'], length: headers['content-length'] }).toEqual({
    status: 204,
    text: '',
    type: undefined,
    length: undefined,
  })
  expect(await names(started)).toEqual(['55'])
  for (const id of [54n, 56n])
    expect(expectFailure(await started.send(remove(id)), 'plant_not_found')).toContain(` ${String(id)}`)
})

test("another caller's plant is not found and stays; of two callers who use one id each deletes its own", async () => {
  const started = await callerWith(54n, 55n)
  const other = `not ${started.caller}`
  await started.store.create(other, { id: 54n, name: 'yours' })
  const headers = { authorization: `Bearer ${await started.issueToken(other)}` }
  expectFailure(await started.send({ ...remove(55n), headers }), 'plant_not_found')
  expect((await started.send({ ...remove(54n), headers })).status).toBe(204)
  expect(await names(started)).toEqual(['54', '55'])
})

test('an id that a double would round to one that exists is not found', async () => {
  const started = await callerWith(2n ** 53n)
  expectFailure(await started.send(remove('9007199254740993')), 'plant_not_found')
  expect(await names(started)).toEqual(['9007199254740992'])
})

test('an id may be percent-encoded', async () => {
  const started = await callerWith(54n)
  expect((await started.send(remove('%35%34'))).status).toBe(204)
  expect(await names(started)).toEqual([])
})

test.each([
  ...['054', '+54', '-0', '54.0', '5.4e1', '0x36', '%2054', '54%0A', '%0054', '54;v=1', '54%2F55', 'null', '{id}'],
  ...['%EF%BC%95%EF%BC%94', '9223372036854775808', '-9223372036854775809', '5'.repeat(10_000)],
])('/plants/%s is refused, naming path/id, and nothing is deleted', async (segment) => {
  const started = await callerWith(0n, 54n)
  expect(expectFailure(await started.send(remove(segment)), 'invalid_request')).toMatch(
    /^path\/id must be an integer from -9223372036854775808 to 9223372036854775807/,
  )
  expect(await names(started)).toEqual(['0', '54'])
})

test('an unknown query is refused, and nothing is deleted', async () => {
  const started = await callerWith(54n)
  expect(expectFailure(await started.send(remove('54?force=true')), 'invalid_request')).toContain('query/force ')
  expect(await names(started)).toEqual(['54'])
})

test.each([
  ['a Content-Type alone', 'application/json', undefined],
  ['text of a type that is none', 'nonsense', 'x'],
])('%s with a delete is not read', async (_description, type, body) => {
  const started = await callerWith(54n, 55n)
  const content = { headers: { 'content-type': type }, ...(body === undefined ? {} : { body }) }
  expect((await started.send({ ...remove(54n), ...content })).status).toBe(204)
  expect(await names(started)).toEqual(['55'])
})
