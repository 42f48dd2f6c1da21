import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type NewPeerPlant, noLimit, peerPort, printOrigin } from './peer.ts'
import { openPeerStore } from './peer-store.ts'

/** node:http by hand: no framework and no validation. */
const store = openPeerStore()

const server = createServer((request, response) => {
  catching(response, () => {
    answer(request, response)
  })
})

function answer(request: IncomingMessage, response: ServerResponse): void {
  const caller = store.findCaller(request.headers.authorization)
  if (caller === undefined) {
    sendJson(response, 401, { error: 40101, message: 'the token is missing or not valid' })
    return
  }
  // A request that a server receives has a URL.
  const url = request.url!
  const question = url.indexOf('?')
  const path = question === -1 ? url : url.slice(0, question)
  if (request.method === 'GET' && path === '/plants') {
    const limit = question === -1 ? null : new URLSearchParams(url.slice(question)).get('limit')
    sendJson(response, 200, store.list(caller, limit === null ? noLimit : Number(limit)))
  } else if (request.method === 'POST' && path === '/plants') {
    readBody(request, (body) => {
      catching(response, () => {
        // Nothing is validated here.
        const { id, name, tag } = JSON.parse(body) as NewPeerPlant
        const plant = tag === undefined ? { name } : { name, tag }
        if (store.create(caller, { id, ...plant })) sendJson(response, 200, plant)
        else sendJson(response, 409, { error: 40900, message: 'there is such a plant' })
      })
    })
  } else if (request.method === 'DELETE' && path.startsWith('/plants/')) {
    if (store.delete(caller, Number(decodeURIComponent(path.slice('/plants/'.length))))) response.writeHead(204).end()
    else sendJson(response, 404, { error: 40401, message: 'there is no such plant' })
  } else sendJson(response, 404, { error: 40400, message: 'the path does not exist' })
}

/** Answers 500 to a value that SQLite refuses, which would otherwise end the process. */
function catching(response: ServerResponse, run: () => void): void {
  try {
    run()
  } catch (error) {
    sendJson(response, 500, { error: 50000, message: String(error) })
  }
}

function readBody(request: IncomingMessage, done: (body: string) => void): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    done(Buffer.concat(chunks).toString())
  })
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const text = JSON.stringify(value)
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    .end(text)
}

server.listen(peerPort, '127.0.0.1', () => {
  printOrigin(server)
})
