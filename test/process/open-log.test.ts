import { beforeEach, expect, test, vi } from 'vitest'
import { gatherLines } from '../../src/process/open-log.ts'

beforeEach(() => {
  vi.useFakeTimers()
  return () => void vi.useRealTimers()
})

/** A log whose writes fail with an error code until there is room for some bytes. */
function gathering(code = 'EAGAIN') {
  const written: Uint8Array[] = []
  const state = { room: Infinity, lost: [] as [number, string][] }
  const log = gatherLines(
    (bytes) => {
      if (state.room === 0) throw Object.assign(new Error(code), { code })
      const part = bytes.subarray(0, state.room)
      state.room -= part.length
      written.push(Uint8Array.from(part))
      return part.length
    },
    (lines, cause) => void state.lost.push([lines, cause.message]),
  )
  return { log, state, written, text: () => Buffer.concat(written).toString() }
}

test('lines are written in large batches, complete and in order', () => {
  const { log, written, text } = gathering()
  const lines = Array.from({ length: 100 }, (_, index) => `${String(index).padStart(99, '.')}\n`)
  for (const line of lines) log.write(line)
  expect(written.length).toBe(2)
  log.flushSync()
  log.flushSync()
  expect(written.length).toBe(3)
  expect(text()).toBe(lines.join(''))
})

test('a single line is written within 100 ms', () => {
  const { log, text } = gathering()
  log.write('a\n')
  vi.advanceTimersByTime(99)
  expect(text()).toBe('')
  vi.advanceTimersByTime(1)
  expect(text()).toBe('a\n')
})

test('a partial write continues where it ended, even inside a character', () => {
  const { log, state, text } = gathering()
  state.room = 0
  const lines = ['Färberdistel 🌱\n', 'Wollemia\n']
  for (const line of lines) log.write(line)
  for (let tries = 0; tries < 100; tries++) {
    state.room = 1
    vi.advanceTimersByTime(100)
  }
  expect(text()).toBe(lines.join(''))
  expect(state.lost).toEqual([])
})

test.each(['EAGAIN', 'ENOSPC', 'EFBIG', 'EPIPE'])(
  '1 MiB is kept while writes fail with %s; further lines are counted and reported',
  (code) => {
    const { log, state, text } = gathering(code)
    // The last write fails in the middle of a line.
    state.room = 4_150
    const lines = Array.from({ length: 2_000 }, (_, index) => `${String(index).padStart(999, '.')}\n`)
    for (const line of lines) log.write(line)
    expect(state.lost).toEqual([])
    state.room = Infinity
    vi.advanceTimersByTime(100)
    const kept = Math.floor(text().length / 1_000)
    expect(text()).toBe(lines.slice(0, kept).join(''))
    expect(kept * 1_000).toBeGreaterThan(2 ** 20)
    expect(state.lost).toEqual([[2_000 - kept, code]])
    log.write('again\n')
    log.flushSync()
    expect(text()).toMatch(/again\n$/)
    expect(state.lost).toHaveLength(1)
  },
)

test.each([
  ['EAGAIN', 1_000],
  ['ENOSPC', 0],
])('the end waits up to a second for a stalled reader, not for other errors (%s)', (code, milliseconds) => {
  vi.useRealTimers()
  const { log, state } = gathering(code)
  state.room = 0
  log.write('a\n')
  const startedAt = performance.now()
  log.end()
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(milliseconds)
  expect(performance.now() - startedAt).toBeLessThan(milliseconds + 900)
})
