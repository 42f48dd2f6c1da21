import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { exchangeBytes } from '../support/exchange.ts'
import { startApp } from '../support/start-app.ts'
import { connections } from './rfc9112/connections.ts'
import { framing } from './rfc9112/framing.ts'
import { messages } from './rfc9112/messages.ts'

const requirements = [...messages, ...framing, ...connections]

/** So many that the list has pages. */
const plants = 2_500

describe('RFC', () => {
  test.each(requirements.map((requirement) => [requirement.section, requirement.must, requirement] as const))('%s: %s', { timeout: 10_000 }, async (_section, _must, { sent, statuses, received, notReceived }) => {
    const { listen, token, store, issueToken } = await startApp()
    const origin = await listen()
    const many = sent.some((bytes) => bytes.includes('$MANY')) ? await issueToken('many') : ''
    if (many !== '') await Promise.all(Array.from({ length: plants }, (_, id) => store.create('many', { id: BigInt(id), name: 'a' })))
    for (const bytes of sent) {
      // Bytes, one for each character; each connection ends because the server closes it.
      const text = await receive(origin, Buffer.from(bytes.replaceAll('$TOKEN', token).replaceAll('$MANY', many), 'latin1'))
      const found = [...text.matchAll(/HTTP\/1\.1 (\d{3}) [A-Za-z ]*\r\n/g)].map(([, status]) => Number(status))
      if (statuses.length > 0) expect(found, bytes).toEqual(statuses)
      // A body without its end may be anything.
      if (received !== undefined) expect(text, bytes).toMatch(received)
      if (notReceived !== undefined) expect(text, bytes).not.toMatch(notReceived)
      // A plant that is created once more would be another answer.
      for (const id of [1n, 2n]) await store.delete('me', id)
    }
  })
})

test('docs/rfc9112.md has a row for each requirement that is tested, and no other', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/rfc9112.md'), 'utf8')
  const rows = [...page.matchAll(/^\| (\d{4} [\d.]+) \| ([^|]+) \|/gm)].map(([, section = '', must = '']) => `${section}: ${must}`)
  expect(rows).toEqual(requirements.map(({ section, must }) => `${section}: ${must}`))
})

async function receive(origin: string, bytes: Buffer): Promise<string> {
  const received = await exchangeBytes(origin, bytes)
  return received.toString('latin1')
}
