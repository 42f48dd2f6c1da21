import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, startApp } from '../../support/server/start-app.ts'
import { connections } from './connections.ts'
import { framing } from './framing.ts'
import { messages } from './messages.ts'

const requirements = [...messages, ...framing, ...connections]

/** So many that the list has pages. */
const plants = 2_500

describe('RFC', () => {
  let app: TestApp
  let origin: string
  let many: string
  let callers = 0
  beforeAll(async () => {
    const ends: (() => Promise<void>)[] = []
    app = await startApp({}, (end) => ends.unshift(end))
    origin = await app.listen()
    many = await app.issueToken('many')
    await Promise.all(
      Array.from({ length: plants }, (_, id) => app.store.create('many', { id: BigInt(id), name: 'a' })),
    )
    return async () => {
      for (const end of ends) await end()
    }
  })

  test.each(requirements.map((requirement) => [requirement.section, requirement.must, requirement] as const))(
    '%s: %s',
    { timeout: 5_000 },
    async (_section, _must, { sent, ends = false, statuses, received, notReceived }) => {
      for (const bytes of sent) {
        // Each connection has a caller without plants.
        const issued = await app.issueToken(`caller ${String(callers++)}`)
        const text = await receive(origin, bytes.replaceAll('$TOKEN', issued).replaceAll('$MANY', many), ends)
        const found = [...text.matchAll(/HTTP\/1\.1 (\d{3}) [A-Za-z ]*\r\n/g)].map(([, status]) => Number(status))
        if (statuses.length > 0) expect(found, bytes).toEqual(statuses)
        if (received !== undefined) expect(text, bytes).toMatch(received)
        if (notReceived !== undefined) expect(text, bytes).not.toMatch(notReceived)
      }
    },
  )
})

test('docs/rfc9112.md has a row for each requirement that is tested, and no other', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/rfc9112.md'), 'utf8')
  const rows = [...page.matchAll(/^\| (\d{4} [\d.]+) \| ([^|]+) \|/gm)].map(
    ([, section = '', must = '']) => `${section}: ${must}`,
  )
  expect(rows).toEqual(requirements.map(({ section, must }) => `${section}: ${must}`))
})

/**
 * Sends a byte for each character.
 *
 * @returns a character for each byte that arrives until the server closes the connection
 */
function receive(origin: string, bytes: string, ends: boolean): Promise<string> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(origin)
    const chunks: Buffer[] = []
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    socket.on('data', (chunk) => chunks.push(chunk))
    // A server that closes before it has read all resets the connection.
    socket.once('error', () => undefined)
    socket.once('end', () => socket.destroy())
    socket.once('close', () => {
      resolve(Buffer.concat(chunks).toString('latin1'))
    })
    socket.write(bytes, 'latin1')
    if (ends) socket.end()
  })
}
