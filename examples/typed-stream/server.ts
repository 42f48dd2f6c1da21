import { EventEmitter, on } from 'node:events'
import { serve, signalOf } from 'fastify-contract'
import { type Handlers, type Schemas, contract } from './generated/contract.ts'

type Message = Schemas['Message']

const messages: Message[] = [
  { id: 1n, text: 'Hello' },
  { id: 9007199254740993n, text: 'Is anybody there?' },
]
const sent = new EventEmitter<{ message: [Message] }>().setMaxListeners(0)

/** The messages as they are sent. The signal ends the wait for the next one when the client leaves. */
async function* events(signal: AbortSignal) {
  for await (const [message] of on(sent, 'message', { signal }) as AsyncIterable<[Message]>)
    yield { event: 'message' as const, id: String(message.id), data: message }
}

const handlers: Handlers = {
  listMessages: () => ({ status: 200, body: ReadableStream.from(messages) }),
  sendMessage: ({ body }) => {
    messages.push(body)
    sent.emit('message', body)
    return { status: 204 }
  },
  watchMessages: (_input, { request }) => ({ status: 200, body: events(signalOf(request)) }),
}

const app = await serve(contract, { handlers })
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void app.close())
console.log(await app.listen({ port: Number(process.env['PORT'] ?? 3000) }))
