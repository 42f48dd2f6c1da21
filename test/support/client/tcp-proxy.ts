import { type AddressInfo, type Socket, connect, createServer } from 'node:net'

/** A network between a client and a server that a test can disturb. */
export interface TcpProxy {
  port: number
  /** From now on, data is dropped silently. */
  freeze: () => void
  /** Data arrives again, on new connections. */
  thaw: () => void
  /** Resets all connections. */
  cut: () => void
  close: () => Promise<void>
}

/** Listens on a free port of 127.0.0.1 and forwards each connection to the target's port. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let isFrozen = false
  const server = createServer((near) => {
    const far = connect(targetPort, '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (bytes) => {
        if (!isFrozen) to.write(bytes)
      })
      from.on('error', () => undefined)
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  function cut(): void {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  return {
    // A TCP server that listens has an address of this type.
    port: (server.address() as AddressInfo).port,
    freeze: () => {
      isFrozen = true
    },
    thaw: () => {
      isFrozen = false
      cut()
    },
    cut,
    close: async () => {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
