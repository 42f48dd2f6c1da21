import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  endProcess,
  endWithThisProcess,
  projectFolder,
  startArguments,
  startEnvironment,
} from '../../../scripts/measure/servers/server-process.ts'

/** The real service, as `npm start` starts it. */
export interface Service {
  origin: string
  /** The token that it printed, which a first start does. */
  token: string | undefined
  /** Ends it in good order. */
  stop: () => Promise<void>
  kill: () => Promise<void>
}

/** What a service prints once it listens, up to its last line (src/process/welcome.ts). */
const listening = /^Plant Store +(\S+)\n[^]*^(?:Token|Try) .*\n/m

/** A program was killed before it was done. */
class Killed extends Error {}

/** @returns what a program gives, undefined when it was killed before */
export async function unlessKilled<Result>(running: Promise<Result>): Promise<Result | undefined> {
  try {
    return await running
  } catch (error) {
    if (error instanceof Killed) return undefined
    throw error
  }
}

/** Starts services and runs commands, and ends all of them together. */
export class Processes {
  readonly #running = new Set<ChildProcess>()
  #hasEnded = false
  readonly #nodeOptions: string[]

  /** @param nodeOptions for Node, before the program */
  constructor(nodeOptions: string[] = []) {
    this.#nodeOptions = nodeOptions
  }

  /** @throws Error with what it printed when it ends instead */
  async serve(file: string): Promise<Service> {
    const { child, stdout, ended } = this.#start(startArguments, file)
    const endedEarly = ended.then(() => {
      throw new Error('the service ended before it listened')
    })
    while (!listening.test(stdout())) await Promise.race([endedEarly, once(child.stdout!, 'data')])
    return {
      origin: listening.exec(stdout())![1]!,
      token: /^Token +(plst_\S+)$/m.exec(stdout())?.[1],
      stop: () => endProcess(child),
      kill: () => endProcess(child, () => void child.kill('SIGKILL')),
    }
  }

  /**
   * Runs a command of scripts/operate.
   *
   * @param file the database
   * @returns what it prints
   * @throws Error with what it printed when it fails
   */
  async run(command: string, args: string[], file: string): Promise<string> {
    const { stdout, ended } = this.#start([`scripts/operate/${command}.ts`, ...args], file)
    await ended
    return stdout()
  }

  /** Kills all that run. */
  async kill(): Promise<void> {
    await Promise.all([...this.#running].map((child) => endProcess(child, () => void child.kill('SIGKILL'))))
  }

  /** Kills all that run, and what is started later at once. */
  async end(): Promise<void> {
    this.#hasEnded = true
    await this.kill()
  }

  /** @returns a program, what it has printed, and its end, which throws unless the program succeeds */
  #start(args: string[], file: string): { child: ChildProcess; stdout: () => string; ended: Promise<void> } {
    const child = spawn(process.execPath, [...this.#nodeOptions, ...args], {
      cwd: projectFolder,
      env: {
        ...process.env,
        ...startEnvironment,
        PORT: '0',
        LOG_LEVEL: 'warn',
        SHUTDOWN_DELAY: '0',
        DATABASE_URL: `sqlite:${file}`,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    endWithThisProcess(child)
    this.#running.add(child)
    child.once('exit', () => this.#running.delete(child))
    if (this.#hasEnded) child.kill('SIGKILL')
    let [stdout, stderr] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    // 'close' comes with the exit code, or null after a signal.
    const ended = once(child, 'close').then(([code]) => {
      if (code === null) throw new Killed(`${args.join(' ')} was killed`)
      if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr.trim()}`)
    })
    // A service that is killed on purpose is not waited for.
    ended.catch(() => undefined)
    return { child, stdout: () => stdout, ended }
  }
}
