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

test('a plant is deleted with an empty 204, and is then not found', async () => {
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

test('a caller deletes its own plants only, even if another caller uses the same id', async () => {
  const started = await callerWith(54n, 55n)
  const other = `not ${started.caller}`
  await started.store.create(other, { id: 54n, name: 'yours' })
  const headers = { authorization: `Bearer ${await started.issueToken(other)}` }
  expectFailure(await started.send({ ...remove(55n), headers }), 'plant_not_found')
  expect((await started.send({ ...remove(54n), headers })).status).toBe(204)
  expect(await names(started)).toEqual(['54', '55'])
})

test('an id is not found if only its rounded neighbour exists', async () => {
  const started = await callerWith(2n ** 53n)
  expectFailure(await started.send(remove('9007199254740993')), 'plant_not_found')
  expect(await names(started)).toEqual(['9007199254740992'])
})
