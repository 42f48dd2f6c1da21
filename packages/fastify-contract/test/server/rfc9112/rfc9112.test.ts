import { sendJson } from 'fastify-contract'
import { Encoded } from 'fastify-contract/encoded'
import { describe, expect, test } from 'vitest'
import { openSocket } from '../support/exchange.ts'
import { failures, ok, shareServer, shop } from '../support/serve.ts'
import { type Received, requirements } from './requirements.ts'

const many = { operationId: 'listMany', responses: { ...ok, ...failures } }

async function* chunks(): AsyncGenerator<Buffer> {
  for (const text of ['[', ...Array.from({ length: 2_500 }, (_, id) => `${String(id)},`), '0]']) {
    await new Promise(setImmediate)
    yield Buffer.from(text)
  }
}

const server = shareServer({
  paths: { ...shop, '/many': { get: many } },
  // Without a memory, so that all requests find the same shop.
  handlers: {
    listThings: () => ({ status: 200, body: [] }),
    createThing: () => ({ status: 200, body: { id: 1 } }),
    deleteThing: () => ({ status: 204 }),
    listMany: () => ({ status: 200, body: new Encoded(chunks()) }),
  },
  beside: (app) => void app.get('/livez', (_request, reply) => sendJson(reply, '{}')),
})

describe('RFC', () => {
  test.for(requirements)('%s: %s', async ([_section, _must, expected, ...sent]) => {
    const wanted: Received = typeof expected === 'number' ? { statuses: [expected] } : expected
    const { ends = false, statuses, received, notReceived } = wanted
    for (const bytes of sent) {
      const text = await receive(bytes, ends)
      const found = [...text.matchAll(/HTTP\/1\.1 (\d{3}) [A-Za-z ]*\r\n/g)].map(([, status]) => Number(status))
      if (statuses !== undefined) expect(found, bytes).toEqual(statuses)
      if (received !== undefined) expect(text, bytes).toMatch(received)
      if (notReceived !== undefined) expect(text, bytes).not.toMatch(notReceived)
    }
  })
})

/**
 * Sends a byte for each character.
 *
 * @returns a character for each byte that arrives until the server closes the connection
 */
async function receive(bytes: string, ends: boolean): Promise<string> {
  const socket = await openSocket(await server().listen(), true)
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
  // A server that closes early resets the connection.
  socket.on('error', () => undefined).once('end', () => socket.destroy())
  socket.write(bytes, 'latin1')
  if (ends) socket.end()
  await new Promise((resolve) => socket.once('close', resolve))
  return text
}
