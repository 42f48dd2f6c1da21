import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { failures, serve } from './support/serve.ts'

test('a quiet event stream has a comment every 15 s, and one of JSON has nothing', async () => {
  async function* generate(): AsyncGenerator<object> {
    yield { data: 1 }
    await delay(31_000)
    yield { data: 2 }
  }
  const itemSchema = { type: 'object', properties: { data: { type: 'integer' } } }
  const pathOf = (type: string, operationId: string) => {
    const responses = { 200: { description: '', content: { [type]: { itemSchema } } }, ...failures }
    return { get: { operationId, security: [], responses } }
  }
  const { listen } = await serve({
    paths: { '/events': pathOf('text/event-stream', 'events'), '/lines': pathOf('application/jsonl', 'lines') },
    handlers: { events: () => ({ status: 200, body: generate() }), lines: () => ({ status: 200, body: generate() }) },
  })
  const origin = await listen()
  const texts = await Promise.all(['/events', '/lines'].map(async (path) => (await fetch(origin + path)).text()))
  expect(texts).toEqual(['data: 1\n\n:\n\n:\n\ndata: 2\n\n', '{"data":1}\n{"data":2}\n'])
}, 60_000)
