import type { ChildProcess } from 'node:child_process'
import { type Program, endProcess, startProgram } from '../servers/program.ts'
import { projectFolder, startArguments, startEnvironment } from '../servers/server-process.ts'

/** The real service, as `npm start` starts it. */
export interface Service {
  port: number
  /** The token that it printed, which a first start does. */
  token: string | undefined
  /** Ends it in good order. */
  stop: () => Promise<void>
  kill: () => Promise<void>
}

/** What a service prints once it listens, up to its last line (src/process/welcome.ts). */
const listening = /^Plant Store +http:\S+:(\d+)\n[^]*^(?:Token|Try) .*\n/m

/** Starts services and runs commands, and ends all of them together. */
export class Processes {
  readonly #running = new Set<ChildProcess>()
  readonly #nodeOptions: string[]

  /** @param nodeOptions for Node, before the program */
  constructor(nodeOptions: string[] = []) {
    this.#nodeOptions = nodeOptions
  }

  /** @throws Error with what it printed when it ends instead */
  async serve(file: string): Promise<Service> {
    const { printed, end } = await this.#start(startArguments, file, (text) => listening.test(text))
    return {
      port: Number(listening.exec(printed())![1]),
      token: /^Token +(plst_\S+)$/m.exec(printed())?.[1],
      stop: end,
      kill: () => end('SIGKILL'),
    }
  }

  /**
   * Runs a command of scripts/.
   *
   * @param file the database
   * @returns what it prints
   * @throws Error with what it printed when it fails
   */
  async run(command: string, args: string[], file: string): Promise<string> {
    const { printed, ended } = await this.#start([`scripts/${command}.ts`, ...args], file, () => true)
    const code = await ended
    if (code !== 0) throw new Error(`${command} ended with ${String(code)}: ${printed().trim()}`)
    return printed()
  }

  /** Kills all that run. */
  async kill(): Promise<void> {
    await Promise.all([...this.#running].map((child) => endProcess(child, 'SIGKILL')))
  }

  #start(args: string[], file: string, isReady: (printed: string) => boolean): Promise<Program> {
    return startProgram(
      [process.execPath, ...this.#nodeOptions, ...args],
      {
        cwd: projectFolder,
        env: {
          ...process.env,
          ...startEnvironment,
          PORT: '0',
          LOG_LEVEL: 'warn',
          SHUTDOWN_DELAY: '0',
          DATABASE_URL: `sqlite:${file}`,
        },
        onStart: (child) => {
          this.#running.add(child)
          child.once('exit', () => this.#running.delete(child))
        },
      },
      isReady,
    )
  }
}
