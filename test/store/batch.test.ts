import { expect, test } from 'vitest'
import { Batcher } from '../../src/store/batch.ts'

/** A batcher of numbers that records its batches and returns each number's double. */
function doubling(maxSize: number, until?: () => Promise<void>) {
  const batches: number[][] = []
  const batcher = new Batcher<number, number>(maxSize, () => {
    const batch = batcher.take()
    batches.push(batch.map(({ item }) => item))
    for (const { item, resolve } of batch) resolve(2 * item)
    return until?.()
  })
  return { batcher, batches }
}

test('items of one iteration of the event loop are one batch, and each gets its own outcome', async () => {
  const { batcher, batches } = doubling(10)
  const outcomes = Promise.all([1, 2, 3].map((item) => batcher.add(item)))
  expect({ batches, length: batcher.length }).toEqual({ batches: [], length: 3 })
  expect(await outcomes).toEqual([2, 4, 6])
  expect(await batcher.add(4)).toBe(8)
  expect({ batches, length: batcher.length }).toEqual({ batches: [[1, 2, 3], [4]], length: 0 })
})

test('a full batch is run at once, and the rest in the order in which it arrived', async () => {
  const { batcher, batches } = doubling(2)
  const outcomes = Promise.all([1, 2, 3, 4, 5].map((item) => batcher.add(item)))
  expect(batches).toEqual([
    [1, 2],
    [3, 4],
  ])
  expect(await outcomes).toEqual([2, 4, 6, 8, 10])
  expect(batches).toEqual([[1, 2], [3, 4], [5]])
})

test('while a batch is on its way the next ones gather, and draining waits for all of them', async () => {
  const running: (() => void)[] = []
  const { batcher, batches } = doubling(2, () => new Promise((resolve) => running.push(resolve)))
  for (const item of [1, 2, 3, 4, 5]) void batcher.add(item)
  expect(batches).toEqual([[1, 2]])
  const drained = batcher.drain().then(() => batches.length)
  for (let count = 0; count < 3; count++) {
    await expect.poll(() => running.length).toBe(1)
    running.shift()?.()
  }
  expect(await drained).toBe(3)
  // At once where nothing waits.
  await batcher.drain()
  expect(batches).toEqual([[1, 2], [3, 4], [5]])
})
