import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  endProcess,
  endWithThisProcess,
  projectFolder,
  startArguments,
  startEnvironment,
} from '../servers/server-process.ts'

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

/** A program was killed before it was done. */
export class Killed extends Error {}

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
    const { child, stdout, ended } = this.#start(startArguments, file)
    const endedEarly = ended.then(() => {
      throw new Error('the service ended before it listened')
    })
    while (!listening.test(stdout())) await Promise.race([endedEarly, once(child.stdout!, 'data')])
    return {
      port: Number(listening.exec(stdout())![1]),
      token: /^Token +(plst_\S+)$/m.exec(stdout())?.[1],
      stop: () => endProcess(child),
      kill: () => endProcess(child, () => void child.kill('SIGKILL')),
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
    const { stdout, ended } = this.#start([`scripts/${command}.ts`, ...args], file)
    await ended
    return stdout()
  }

  /** Kills all that run. */
  async kill(): Promise<void> {
    await Promise.all([...this.#running].map((child) => endProcess(child, () => void child.kill('SIGKILL'))))
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
