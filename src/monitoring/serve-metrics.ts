import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Metrics } from './metrics.ts'

/** A listener for Prometheus. */
export interface MetricsServer {
  /** Such as `http://127.0.0.1:9090/metrics`. */
  url: string
  close: () => Promise<void>
}

/**
 * Answers `GET /metrics` at its own address, which the service's clients cannot reach.
 *
 * @param onFault receives the error when metrics cannot be read, which is answered 500
 * @throws NodeJS.ErrnoException when it cannot listen there
 */
export async function serveMetrics(
  metrics: Pick<Metrics, 'read'>,
  { host, port }: { host: string; port: number },
  onFault: (error: unknown) => void,
): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    if (request.url !== '/metrics' || request.method !== 'GET') {
      response.writeHead(404).end()
      return
    }
    metrics.read().then(
      ({ type, text }) => response.writeHead(200, { 'content-type': type }).end(text),
      (error: unknown) => {
        onFault(error)
        response.writeHead(500).end()
      },
    )
  })
  server.listen(port, host)
  await once(server, 'listening')
  // The address of a server that listens on a port is an object.
  const { port: actual } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${String(actual)}/metrics`,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
