import { type ChildProcess, spawn } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { type Scheduling, memoryOf, resetPeak, schedulingOf } from './process-figures.ts'

/** The processor of the servers; the load generator has the other one. */
export const serverProcessor = '0'
export const loadProcessor = '1'

/** Where servers run, as `npm start` runs the project's. */
export const projectFolder = join(import.meta.dirname, '../../..')

/** The arguments that `npm start` gives to `node`, which it runs in the shell's place. */
export const startArguments = readStartScript()
  .replace(/^exec node /, '')
  .split(' ')

function readStartScript(): string {
  const { scripts } = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8')) as {
    scripts: { start: string }
  }
  return scripts.start
}

const startMilliseconds = 60_000

export interface ServerCommand {
  /** Arguments of `node`: the file that is run and its own arguments. */
  arguments: readonly string[]
  environment: Record<string, string>
  /** Where standard error goes, which is where the project's server logs. */
  logFile: string
  /** Those that it may use, as taskset(1) takes them; the servers' processor unless said otherwise. */
  processors?: string
}

/**
 * A server that listens, pinned to its processors. Figures come from the kernel, so that nothing is added to what is
 * measured.
 */
export interface ServerProcess {
  port: number
  pid: number
  /** What all threads together had so far; exact while the server is idle. */
  scheduling: () => Scheduling
  /** Resident memory now and the most since the start or `resetPeak`, in bytes. */
  memory: () => { resident: number; peak: number }
  resetPeak: () => void
  stop: () => Promise<void>
}

/**
 * Starts a server and waits until it prints where it listens.
 *
 * @throws Error when it ends before that
 */
export async function startServer({
  arguments: args,
  environment,
  logFile,
  processors = serverProcessor,
}: ServerCommand): Promise<ServerProcess> {
  const log = openSync(logFile, 'a')
  const child = spawn('taskset', ['-c', processors, process.execPath, ...args], {
    cwd: projectFolder,
    env: { PATH: process.env['PATH'], HOST: '127.0.0.1', PORT: '0', SHUTDOWN_DELAY: '0', ...environment },
    stdio: ['ignore', 'pipe', log],
  })
  endWithThisProcess(child)
  const port = await listeningPort(child, logFile)
  // A process that printed has an id; taskset has become node by then, under the same id.
  const pid = child.pid!
  return {
    port,
    pid,
    scheduling: () => schedulingOf(pid),
    memory: () => ({ resident: memoryOf(pid, 'VmRSS') * 2 ** 20, peak: memoryOf(pid, 'VmHWM') * 2 ** 20 }),
    resetPeak: () => {
      resetPeak(pid)
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}

const running = new Map<ChildProcess, NodeJS.Signals>()
let isWatching = false

/**
 * A server outlives nothing that ends this process, be it a signal or that nobody reads any more what it prints.
 *
 * @param signal what ends the server, and with it the processes that it has started
 */
export function endWithThisProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): void {
  running.set(child, signal)
  child.once('exit', () => running.delete(child))
  if (isWatching) return
  isWatching = true
  process.on('exit', () => {
    for (const [server, ending] of running) server.kill(ending)
  })
  // A signal that nobody handles ends a process without the event.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
}

async function listeningPort(child: ChildProcess, logFile: string): Promise<number> {
  let printed = ''
  return await new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`a server did not listen within ${String(startMilliseconds)} ms`))
    }, startMilliseconds)
    child.stdout?.on('data', (piece: Buffer) => {
      printed += piece.toString()
      const port = /http:\/\/127\.0\.0\.1:([0-9]+)/.exec(printed)?.[1]
      if (port === undefined) return
      clearTimeout(timer)
      resolve(Number(port))
    })
    child.once('exit', (code) => {
      clearTimeout(timer)
      reject(
        new Error(
          `a server ended with code ${String(code)} before it listened:\n${readFileSync(logFile, 'utf8').slice(-2_000)}`,
        ),
      )
    })
  })
}
