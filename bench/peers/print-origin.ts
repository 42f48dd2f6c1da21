import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Prints the origin of a server, and ends the process on SIGTERM. */
export function printOrigin(server: Server): void {
  // The address of a server that listens on a port is an object.
  const { port } = server.address() as AddressInfo
  console.log(`http://127.0.0.1:${String(port)}`)
  process.once('SIGTERM', () => process.exit())
}
