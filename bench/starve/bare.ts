import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** node:http alone. It sends every request the same response. */
const server = createServer((_request, response) => {
  response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":40400,"message":"no such path"}')
})
server.listen(0, '127.0.0.1', () => {
  // The address of a server that listens on a port is an object.
  console.log(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`)
})
