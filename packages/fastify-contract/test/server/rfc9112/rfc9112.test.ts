import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sendJson } from 'fastify-contract'
import { Encoded } from 'fastify-contract/encoded'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { openSocket } from '../support/exchange.ts'
import { shareServer, shop } from '../support/serve.ts'

/** A requirement of requirements.yaml. */
interface Requirement {
  gets?: number | number[] | 'any'
  received?: string
  notReceived?: string
  ends?: boolean
  each?: string[]
  sent: string[]
}

const file = readFileSync(join(import.meta.dirname, 'requirements.yaml'), 'utf8')
const requirements = Object.entries(parse(file) as Record<string, Requirement>).map(([title, requirement]) => {
  const [, section = '', must = ''] = /^(\S+ \S+) (.*)$/.exec(title) ?? []
  return [section, must, requirement] as const
})

const me = 'Authorization: Bearer me'
const body = '{"id":1,"name":"a"}'
const macros: Record<string, string> = {
  ...{ me, body, get: 'GET /livez HTTP/1.1|Host: a', last: 'GET /livez HTTP/1.1|Host: a|Connection: close||' },
  post: `POST /things HTTP/1.1|Host: a|${me}|Content-Type: application/json|`,
  length: `Content-Length: ${String(body.length)}`,
  chunks: `13|${body}|0||`,
}

/** What each client of a requirement sends. */
function requestsOf({ sent, each = [''] }: Requirement): string[] {
  return sent
    .flatMap((text) => (text.includes('~') ? each.map((one) => text.replace('~', one)) : [text]))
    .map((text) => text.replaceAll(/\{([^{}]+)\*(\d+)\}/g, (_all, part: string, count) => part.repeat(Number(count))))
    .map((text) => text.replaceAll(/\{(\w+)\}/g, (_all, name: string) => macros[name]!).replaceAll('|', '\r\n'))
}

const many = { operationId: 'listMany' }

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
  test.for(requirements)('%s: %s', async ([_section, _must, requirement]) => {
    const { gets = 400, ends = false, received, notReceived } = requirement
    for (const bytes of requestsOf(requirement)) {
      const text = await receive(bytes, ends)
      const found = [...text.matchAll(/HTTP\/1\.1 (\d{3}) [A-Za-z ]*\r\n/g)].map(([, status]) => Number(status))
      if (gets !== 'any') expect(found, bytes).toEqual([gets].flat())
      if (received !== undefined) expect(text, bytes).toMatch(new RegExp(received, 'i'))
      if (notReceived !== undefined) expect(text, bytes).not.toMatch(new RegExp(notReceived, 'i'))
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
