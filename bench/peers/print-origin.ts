import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Prints where a server listens, and ends the process when it is told to. */
export function printOrigin(server: Server): void {
  // A server that listens at a port has an address of this kind.
  const { port } = server.address() as AddressInfo
  console.log(`http://127.0.0.1:${String(port)}`)
  process.once('SIGTERM', () => process.exit())
}
