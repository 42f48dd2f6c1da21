import { expect, test } from 'vitest'
import { ProgressBar } from '../../scripts/operate/progress-bar.ts'

function terminal(isTTY: boolean) {
  let text = ''
  return { isTTY, write: (written: string) => (text += written) !== '', text: () => text }
}

test('a bar shows on a terminal how much is done, in one line that goes in the end', () => {
  const stream = terminal(true)
  const bar = new ProgressBar(stream, 'copying plants')
  bar.show(2_000, 4_000)
  bar.end()
  expect(stream.text()).toBe(
    `\r\u001b[Kcopying plants ${'█'.repeat(15)}${'░'.repeat(15)}  50 %  2,000 of 4,000\r\u001b[K`,
  )
})

test('a bar draws nothing where there is no terminal', () => {
  const stream = terminal(false)
  const bar = new ProgressBar(stream, 'copying plants')
  bar.show(10, 10)
  bar.end()
  expect(stream.text()).toBe('')
})
