import { once } from 'node:events'
import { Agent, type IncomingHttpHeaders, type IncomingMessage, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ServerCommand, type ServerProcess, startServer } from '../servers/server-process.ts'

/** A server that can be killed, and is then started again. */
export class TestedServer {
  readonly #start: () => Promise<ServerProcess>
  #process: Promise<ServerProcess>

  /** @param isControl puts the proxy with a fault in front of it */
  constructor(command: ServerCommand, isControl: boolean) {
    this.#start = () => (isControl ? startBehindProxy(command) : startServer(command))
    this.#process = this.#start()
  }

  /** Where it listens, once it does. */
  async port(): Promise<number> {
    return (await this.#process).port
  }

  /** Kills it with SIGKILL at once. @returns once it listens again */
  async restart(): Promise<void> {
    const killed = await this.#process
    process.kill(killed.pid, 'SIGKILL')
    // Resolves when it is gone.
    this.#process = killed.stop().then(this.#start)
    await this.#process
  }

  async stop(): Promise<void> {
    await (await this.#process).stop()
  }
}

async function startBehindProxy(command: ServerCommand): Promise<ServerProcess> {
  const server = await startServer(command)
  const proxy = await startCachingProxy(server.port)
  return {
    ...server,
    port: proxy.port,
    stop: async () => {
      proxy.close()
      await server.stop()
    },
  }
}

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

const keptMilliseconds = 20

/**
 * A proxy with a fault for the control: it answers a GET with what the same GET of the same token was answered up to 20
 * ms ago. So a list can miss an acknowledged write, and a token can pass after it was revoked.
 *
 * @returns its port on 127.0.0.1, and what closes it
 */
async function startCachingProxy(target: number): Promise<{ port: number; close: () => void }> {
  const agent = new Agent({ keepAlive: true })
  const kept = new Map<string, Promise<Answer>>()

  async function forward(method: string, path: string, headers: IncomingHttpHeaders, body: Buffer): Promise<Answer> {
    const sent = request({ host: '127.0.0.1', port: target, method, path, headers, agent }).end(body)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    // A response that a client receives has a status.
    return { status: response.statusCode!, headers: response.headers, body: Buffer.concat(await response.toArray()) }
  }

  const server = createServer((incoming, outgoing) => {
    void (async () => {
      // A request that a server receives has both.
      const { method, url, headers } = incoming as { method: string; url: string; headers: IncomingHttpHeaders }
      const body = Buffer.concat(await incoming.toArray())
      const key = `${method} ${url} ${String(headers.authorization)}`
      const answer = kept.get(key) ?? forward(method, url, headers, body)
      if (method === 'GET' && !kept.has(key)) {
        kept.set(key, answer)
        void answer.then(() => setTimeout(() => kept.delete(key), keptMilliseconds))
      }
      const { status, headers: answered, body: content } = await answer
      outgoing.writeHead(status, answered).end(content)
    })()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    // The address of a server that listens on a port is an object.
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close()
      server.closeAllConnections()
      agent.destroy()
    },
  }
}
