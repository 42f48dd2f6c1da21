import { Readable } from 'node:stream'
import { Ajv } from 'ajv'
import fastify, { type FastifyInstance } from 'fastify'
import { serve } from 'fastify-contract'
import { sealContract } from 'fastify-contract/document'
import { peerPort, printOrigin } from '../peers/peer.ts'

/** How many items a stream has. */
const items = Number(process.argv[3])
const type = 'application/jsonl'
const itemSchema = {
  type: 'object',
  required: ['id', 'name', 'price'],
  properties: { id: { type: 'integer' }, name: { type: 'string', maxLength: 50 }, price: { type: 'number' } },
}
const content = { [type]: { itemSchema } }
const contract = {
  openapi: '3.2.0',
  info: { title: 'Items', version: '1.0.0' },
  security: [],
  paths: { '/items': { get: { operationId: 'items', responses: { 200: { description: 'Items.', content } } } } },
}

/* oxlint-disable-next-line typescript/require-await -- A generator of small items that are always ready. */
async function* generate(): AsyncGenerator<object> {
  for (let id = 1; id <= items; id++) yield { id, name: 'Monstera', price: 9.5 }
}

/** The library, and a handler of Fastify by hand that validates each item with Ajv. */
const servers: Record<string, () => Promise<FastifyInstance>> = {
  library: () =>
    serve(sealContract({ document: JSON.stringify(contract) }), {
      handlers: { items: () => ({ status: 200, body: generate() }) },
      docs: false,
    }),
  'by hand': () => {
    const app = fastify()
    const validate = new Ajv().compile(itemSchema)
    async function* lines(): AsyncGenerator<string> {
      for await (const item of generate()) {
        if (!validate(item)) throw new Error('an item is not valid')
        yield `${JSON.stringify(item)}\n`
      }
    }
    app.get('/items', (_request, reply) => reply.type(type).send(Readable.from(lines())))
    return Promise.resolve(app)
  },
}

const start = servers[process.argv[2] ?? '']
if (start === undefined) throw new Error(`name one of ${Object.keys(servers).join(', ')}`)
const app = await start()
await app.listen({ host: '127.0.0.1', port: peerPort })
printOrigin(app.server)
