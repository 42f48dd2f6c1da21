import { serve } from 'fastify-contract'
import { type Handlers, contract } from './generated/contract.ts'

const handlers: Handlers = {
  greet: ({ path: { name } }) => ({ status: 200, body: { text: `Hello, ${name}` } }),
}

const app = await serve(contract, { handlers })
const origin = await app.listen({ port: Number(process.env['PORT'] ?? 3000) })
console.log(origin)
