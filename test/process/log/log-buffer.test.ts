import { afterEach, expect, test, vi } from 'vitest'
import { gatherLines } from '../../../src/process/open-log.ts'

afterEach(() => {
  vi.useRealTimers()
})

function gathering() {
  vi.useFakeTimers()
  const written: string[] = []
  const write = (bytes: Uint8Array) => {
    written.push(Buffer.from(bytes).toString())
    return bytes.length
  }
  return { written, log: gatherLines(write, () => undefined) }
}

test('lines are written together once they are long enough, and none is lost or changes its place', () => {
  const { written, log } = gathering()
  const lines = Array.from({ length: 100 }, (_, index) => `${String(index).padStart(99, '.')}\n`)
  for (const line of lines) log.write(line)
  expect(written.length).toBe(2)
  log.flushSync()
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
  log.flushSync()
  log.flushSync()
  vi.advanceTimersByTime(1_000)
  expect(written).toEqual(['a\n'])
})

test('a piece of which a part is written goes on where that part ends, in the middle of a character too', () => {
  vi.useFakeTimers()
  const bytes: number[] = []
  let room = 0
  const write = (given: Uint8Array) => {
    if (room === 0) throw Object.assign(new Error('EAGAIN'), { code: 'EAGAIN' })
    const part = given.subarray(0, room)
    room = 0
    bytes.push(...part)
    return part.length
  }
  const log = gatherLines(write, () => undefined)
  const lines = ['Färberdistel 🌱\n', 'Wollemia\n']
  for (const line of lines) log.write(line)
  for (let tries = 0; tries < 100; tries++) {
    room = 1
    vi.advanceTimersByTime(100)
  }
  expect(Buffer.from(bytes).toString()).toBe(lines.join(''))
})
