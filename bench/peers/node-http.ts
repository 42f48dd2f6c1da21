import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type NewPeerPlant, type PeerReply, peerPort, printOrigin, refused } from './peer.ts'
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
    send(response, { status: 401, body: refused })
    return
  }
  // A request that a server receives has a URL.
  const url = request.url!
  const question = url.indexOf('?')
  const path = question === -1 ? url : url.slice(0, question)
  if (request.method === 'GET' && path === '/plants') {
    const limit = question === -1 ? null : new URLSearchParams(url.slice(question)).get('limit')
    send(response, { status: 200, body: store.list(caller, limit) })
  } else if (request.method === 'POST' && path === '/plants') {
    readBody(request, (body) => {
      catching(response, () => {
        // Nothing is validated here.
        send(response, store.create(caller, JSON.parse(body) as NewPeerPlant))
      })
    })
  } else if (request.method === 'DELETE' && path.startsWith('/plants/')) {
    send(response, store.delete(caller, decodeURIComponent(path.slice('/plants/'.length))))
  } else send(response, { status: 404, body: { error: 40400, message: 'the path does not exist' } })
}

/** Answers 500 to a value that SQLite refuses, which would otherwise end the process. */
function catching(response: ServerResponse, run: () => void): void {
  try {
    run()
  } catch (error) {
    send(response, { status: 500, body: { error: 50000, message: String(error) } })
  }
}

function readBody(request: IncomingMessage, done: (body: string) => void): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    done(Buffer.concat(chunks).toString())
  })
}

function send(response: ServerResponse, { status, body }: PeerReply): void {
  if (body === undefined) {
    response.writeHead(status).end()
    return
  }
  const text = JSON.stringify(body)
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    .end(text)
}

server.listen(peerPort, '127.0.0.1', () => {
  printOrigin(server)
})
