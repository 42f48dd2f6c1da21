import { afterEach, expect, test, vi } from 'vitest'
import { gatherLines } from '../src/log-pieces.ts'

afterEach(() => {
  vi.useRealTimers()
})

function gathering() {
  vi.useFakeTimers()
  const written: string[] = []
  return { written, log: gatherLines({ write: (text) => void written.push(text) }) }
}

test('lines are written together once they are long enough, and none is lost or changes its place', () => {
  const { written, log } = gathering()
  const lines = Array.from({ length: 100 }, (_, index) => `${String(index).padStart(99, '.')}\n`)
  for (const line of lines) log.write(line)
  expect(written.length).toBe(2)
  log.flush()
  expect(written.join('')).toBe(lines.join(''))
})

test('a lone line is written within a tenth of a second', () => {
  const { written, log } = gathering()
  log.write('a\n')
  vi.advanceTimersByTime(99)
  expect(written).toEqual([])
  vi.advanceTimersByTime(1)
  expect(written).toEqual(['a\n'])
})

test('nothing is written where nothing was gathered', () => {
  const { written, log } = gathering()
  log.write('a\n')
  log.flush()
  log.flush()
  vi.advanceTimersByTime(1_000)
  expect(written).toEqual(['a\n'])
})
