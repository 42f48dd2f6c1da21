import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** @returns a TCP port on 127.0.0.1 at which nobody listens, for a server that has to be told its port */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens at a port has an address of this kind.
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
