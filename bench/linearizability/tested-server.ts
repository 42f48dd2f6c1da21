import { type ServerCommand, type ServerProcess, startServer } from '../servers/server-process.ts'

/** A server that can be killed, and is then started again. */
export class TestedServer {
  readonly #command: ServerCommand
  #process: Promise<ServerProcess>

  constructor(command: ServerCommand) {
    this.#command = command
    this.#process = startServer(command)
  }

  /** Where it listens, once it does. */
  async port(): Promise<number> {
    return (await this.#process).port
  }

  /** Kills it with SIGKILL at once. @returns once it listens again */
  async restart(): Promise<void> {
    const { stop } = await this.#process
    this.#process = stop('SIGKILL').then(() => startServer(this.#command))
    await this.#process
  }

  async stop(): Promise<void> {
    await (await this.#process).stop()
  }
}
