import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** A running program. Disposing ends it with SIGKILL. */
export interface Program extends AsyncDisposable {
  child: ChildProcess
  pid: number
  /** What it has printed so far. */
  stdout: () => string
  stderr: () => string
  /** Its exit code, null after a signal that it did not handle, once all that it printed has been read. */
  ended: Promise<number | null>
  /** Ends it with a signal, SIGTERM by default, and waits until it has ended. */
  end: (signal?: NodeJS.Signals) => Promise<void>
}

export interface ProgramOptions extends Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'> {
  /** Standard error is appended to this file. */
  logFile?: string | undefined
  /** The signal that ends it when this process ends. SIGKILL unless it must end its own child processes. */
  lastSignal?: NodeJS.Signals
  /** The interval of checks whether it is ready. */
  pollMilliseconds?: number
  /** Open files of this process that it inherits as descriptors 3, 4 and so on. */
  descriptors?: readonly number[]
}

const startMilliseconds = 60_000

/**
 * Starts a program and waits until it is ready. It ends with this process.
 *
 * @param isReady receives what it has printed on standard output
 * @throws Error with what it printed, when it ends before that or takes longer than a minute
 */
export async function startProgram(
  [command = '', ...parameters]: readonly string[],
  { logFile, lastSignal, pollMilliseconds = 10, descriptors = [], ...options }: ProgramOptions,
  isReady: (stdout: string) => boolean | Promise<boolean>,
): Promise<Program> {
  const log = logFile === undefined ? 'pipe' : openSync(logFile, 'a')
  const child = spawn(command, parameters, { ...options, stdio: ['ignore', 'pipe', log, ...descriptors] })
  endWithThisProcess(child, lastSignal)
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => (printed[name] += text))
  const stderr = () => (logFile === undefined ? printed.stderr : readFileSync(logFile, 'utf8'))
  // 'close' comes with the exit code, or null after a signal.
  const ended = once(child, 'close').then(([code]) => code as number | null)
  let problem: string | undefined
  ended.catch((error: unknown) => (problem = String(error)))
  const deadline = performance.now() + startMilliseconds
  while (!(await isReady(printed.stdout))) {
    if (hasEnded(child)) problem = `it ended with ${String(child.exitCode ?? child.signalCode)}`
    else if (performance.now() > deadline) problem = 'it takes too long'
    if (problem !== undefined) {
      child.kill('SIGKILL')
      await ended.catch(() => undefined)
      throw new Error(`${command} did not start: ${problem}\n${(printed.stdout + stderr()).slice(-4_000)}`)
    }
    await sleep(pollMilliseconds)
  }
  const end = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (!hasEnded(child)) child.kill(signal)
    await ended
  }
  return {
    child,
    // A process that printed or responded has an id.
    pid: child.pid!,
    stdout: () => printed.stdout,
    stderr,
    ended,
    end,
    [Symbol.asyncDispose]: () => end('SIGKILL'),
  }
}

export function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null
}

const running = new Map<ChildProcess, NodeJS.Signals>()
let isWatching = false

/**
 * Ends a process when this process ends, also by a signal or a broken pipe.
 *
 * @param signal must also end the processes that it has started
 */
function endWithThisProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): void {
  running.set(child, signal)
  child.once('exit', () => running.delete(child))
  if (isWatching) return
  isWatching = true
  process.on('exit', () => {
    for (const [program, ending] of running) program.kill(ending)
  })
  // Signals without a handler end a process without the event 'exit'.
  for (const each of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(each, () => process.exit(1))
}
