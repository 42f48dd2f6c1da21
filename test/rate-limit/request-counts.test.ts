import { expect, onTestFinished, test, vi } from 'vitest'
import { RequestCounts } from '../../src/rate-limit/rate-limits.ts'

test('a window begins with the first request of its key, and a new one when it is over', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const counts = new RequestCounts(10)
  expect(counts.read('a')).toEqual({ requests: 0, milliseconds: 60_000 })
  expect(counts.add('a')).toEqual({ requests: 1, milliseconds: 60_000 })
  vi.advanceTimersByTime(59_999)
  expect(counts.add('b')).toEqual({ requests: 1, milliseconds: 60_000 })
  expect(counts.add('a')).toEqual({ requests: 2, milliseconds: 1 })
  vi.advanceTimersByTime(1)
  expect(counts.read('a')).toEqual({ requests: 0, milliseconds: 60_000 })
  expect(counts.add('a')).toEqual({ requests: 1, milliseconds: 60_000 })
  expect(counts.read('b')).toEqual({ requests: 1, milliseconds: 59_999 })
})

test('of more keys than are kept, the one that was used longest ago is forgotten', () => {
  const counts = new RequestCounts(3)
  for (const key of ['a', 'b', 'c', 'a', 'd']) counts.add(key)
  expect(['b', 'a', 'c', 'd'].map((key) => counts.read(key).requests)).toEqual([0, 2, 1, 1])
})
