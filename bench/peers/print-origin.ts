import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The port of a peer: `PORT`, or one that is free. */
export const peerPort = Number(process.env['PORT'] ?? 0)

/** Prints the origin of a server, and ends the process on SIGTERM. */
export function printOrigin(server: Server): void {
  // The address of a server that listens on a port is an object.
  printPort((server.address() as AddressInfo).port)
}

/** Prints the origin of a server that listens on a port of 127.0.0.1, and ends the process on SIGTERM. */
export function printPort(port: number | undefined): void {
  console.log(`http://127.0.0.1:${String(port)}`)
  process.once('SIGTERM', () => process.exit())
}
