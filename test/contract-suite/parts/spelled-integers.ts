import { describe, expect, test } from 'vitest'
import { errorNumber } from '../../support/responses/expected-contract.ts'
import { type ContractClient, shareService } from '../contract-client.ts'
import { type IntegerSpelling, integerSpellings } from '../../../bench/integers/spellings.ts'

/** Tests that every spelling of an integer is the integer that the table says, or refused and without effect. */
export function testSpelledIntegers(): void {
  describe('a spelled integer', () => {
    const newClient = shareService()
    const places = ['path', 'query', 'body'] as const
    for (const place of places) {
      test(`in the ${place} is read exactly or refused`, async () => {
        const client = await newClient()
        for (const row of integerSpellings.filter((spelling) => spelling.place === place))
          await checkSpelling[place](client, row)
      })
    }
  })
}

type Check = (client: ContractClient, row: IntegerSpelling) => Promise<void>

const checkSpelling: Record<IntegerSpelling['place'], Check> = {
  path: async ({ send }, { spelling, expected: verdict }) => {
    const ids = [
      54n,
      0n,
      -54n,
      5n,
      9_007_199_254_740_992n,
      9_007_199_254_740_993n,
      9_007_199_254_740_994n,
      -9_007_199_254_740_993n,
      9_223_372_036_854_775_807n,
      -9_223_372_036_854_775_808n,
    ]
    // The spelling before this one has deleted one plant at most.
    const there = await namesIn(send)
    for (const id of ids.map(String).filter((name) => !there.includes(name)))
      await send({ method: 'POST', url: '/plants', body: `{"id":${id},"name":"${id}"}` })
    const response = await send({ method: 'DELETE', url: `/plants/${spelling}` })
    expect(outcome(response, 204), spelling).toBe(verdict === 'refused' ? refused() : 'accepted')
    const left = ids.filter((id) => id !== verdict).map(String)
    expect((await namesIn(send)).sort(), spelling).toEqual(left.sort())
  },
  query: async ({ send }, { spelling, expected: verdict }) => {
    for (const id of [1, 2, 3]) await send({ method: 'POST', url: '/plants', body: `{"id":${String(id)},"name":"a"}` })
    const response = await send({ method: 'GET', url: `/plants?limit=${spelling}` })
    expect(outcome(response, 200), spelling).toBe(verdict === 'refused' ? refused() : 'accepted')
    if (verdict !== 'refused')
      expect(JSON.parse(response.text), spelling).toHaveLength(verdict > 3n ? 3 : Number(verdict))
  },
  body: async ({ send }, { spelling, expected: verdict }) => {
    const response = await send({ method: 'POST', url: '/plants', body: `{"id":${spelling},"name":"a"}` })
    expect(outcome(response, 200), spelling).toBe(verdict === 'refused' ? refused() : 'accepted')
    if (verdict !== 'refused')
      expect((await send({ method: 'DELETE', url: `/plants/${String(verdict)}` })).status, spelling).toBe(204)
    expect((await send({ method: 'GET', url: '/plants' })).text, spelling).toBe('[]')
  },
}

async function namesIn(send: ContractClient['send']): Promise<string[]> {
  const { text } = await send({ method: 'GET', url: '/plants' })
  return (JSON.parse(text) as { name: string }[]).map(({ name }) => name)
}

function refused(): string {
  return `400 ${String(errorNumber('invalid_request'))}`
}

function outcome({ status, text }: { status: number; text: string }, success: number): string {
  return status === success
    ? 'accepted'
    : `${String(status)} ${String((JSON.parse(text) as { error?: unknown }).error)}`
}
