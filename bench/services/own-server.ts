/* oxlint-disable typescript/require-await -- Handlers are async functions, as the documentation shows them. */
import fastify, { type FastifyInstance } from 'fastify'
import { fastifyContract, serve } from 'fastify-contract'
import { sealContract } from 'fastify-contract/document'
import { peerPort, printOrigin } from '../peers/peer.ts'
import { contract } from '../peers/services/contract.ts'
import { type Handler, byOperation, makeRecords } from '../peers/services/records.ts'

/** The library with its defaults: `serve`, or the plugin on a plain Fastify. */
const servers: Record<string, () => Promise<FastifyInstance>> = {
  serve: () => serve(sealed, { handlers, docs: false }),
  plugin: async () => {
    const app = fastify()
    await app.register(fastifyContract(sealed, { handlers, docs: false }))
    return app
  },
}

const sealed = sealContract({ document: JSON.stringify(contract) })
const handlers = byOperation<Handler>((kind) => {
  const { list, create } = makeRecords(kind, kind === 'int64' ? withExactId : undefined)
  return {
    list: async ({ query }: { query: { limit?: number } }) => ({ status: 200, body: list(query.limit) }),
    create: async ({ body }: { body: unknown }) => ({ status: 200, body: create(body) }),
  }
})

/** Handlers of the library have bigints where the contract has integers of 64 bits. */
function withExactId(record: object): object {
  return 'id' in record ? { ...record, id: BigInt(record.id as number) } : record
}

const start = servers[process.argv[2] ?? '']
if (start === undefined) throw new Error(`name one of ${Object.keys(servers).join(', ')}`)
const app = await start()
await app.listen({ host: '127.0.0.1', port: peerPort })
printOrigin(app.server)
