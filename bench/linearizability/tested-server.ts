import { type ServerCommand, type ServerProcess, startServer } from '../../scripts/measure/servers/server-process.ts'
import { startCachingProxy } from './caching-proxy.ts'

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
