import express, { type ErrorRequestHandler, type Request } from 'express'
import * as OpenApiValidator from 'express-openapi-validator'
import { type NewPeerPlant, contractFile, noLimit, peerPort, printOrigin } from './peer.ts'
import { openPeerStore } from './peer-store.ts'

/**
 * express-openapi-validator as its README shows, with a handler for the security scheme. It validates requests, and no
 * responses: its default.
 */
const store = openPeerStore()
const app = express()
const callers = new WeakMap<Request, string>()

function callerOf(request: Request): string {
  return callers.get(request) ?? ''
}

app.use(express.json())
app.use(
  OpenApiValidator.middleware({
    apiSpec: contractFile,
    validateRequests: true,
    validateSecurity: {
      handlers: {
        bearer: (request) => {
          const caller = store.findCaller(request.headers.authorization)
          if (caller !== undefined) callers.set(request, caller)
          return caller !== undefined
        },
      },
    },
  }),
)

app.get('/plants', (request, response) => {
  const { limit } = request.query
  response.json(store.list(callerOf(request), limit === undefined ? noLimit : Number(limit)))
})

app.post('/plants', (request, response) => {
  // The validator has validated the body.
  const { id, name, tag } = request.body as NewPeerPlant
  const plant = tag === undefined ? { name } : { name, tag }
  if (store.create(callerOf(request), { id, ...plant })) response.json(plant)
  else response.status(409).json({ error: 40900, message: 'there is such a plant' })
})

app.delete('/plants/:id', (request, response) => {
  if (store.delete(callerOf(request), Number(request.params.id))) response.status(204).end()
  else response.status(404).json({ error: 40401, message: 'there is no such plant' })
})

const answerError: ErrorRequestHandler = (
  error: { status?: number; message: string; errors?: unknown },
  _request,
  response,
  _next,
) => {
  response.status(error.status ?? 500).json({ message: error.message, errors: error.errors })
}
app.use(answerError)

const server = app.listen(peerPort, '127.0.0.1', () => {
  printOrigin(server)
})
