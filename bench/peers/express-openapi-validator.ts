import express, { type ErrorRequestHandler, type Request, type Response } from 'express'
import * as OpenApiValidator from 'express-openapi-validator'
import { type NewPeerPlant, type PeerReply, contractFile, peerPort, printOrigin } from './peer.ts'
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

function send(response: Response, { status, body }: PeerReply): void {
  response.status(status).json(body)
}

app.get('/plants', (request, response) => {
  response.json(store.list(callerOf(request), request.query['limit'] as string | undefined))
})

app.post('/plants', (request, response) => {
  // The validator has validated the body.
  send(response, store.create(callerOf(request), request.body as NewPeerPlant))
})

app.delete('/plants/:id', (request, response) => {
  send(response, store.delete(callerOf(request), request.params.id))
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
