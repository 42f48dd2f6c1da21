import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** A program that runs. */
export interface Program {
  child: ChildProcess
  pid: number
  /** What it has printed so far, without what went to a log. */
  printed: () => string
  /** Its exit code, null after a signal that it did not handle, once all that it printed has been read. */
  ended: Promise<number | null>
  /** Ends it, unless it has ended. */
  end: (signal?: NodeJS.Signals) => Promise<void>
}

export interface ProgramOptions extends Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'> {
  /** Receives standard error. */
  logFile?: string
  /** Ends it when this process ends: SIGKILL, unless it has to end processes that it has started. */
  lastSignal?: NodeJS.Signals
  /** How often it is asked whether it is ready. */
  pollMilliseconds?: number
}

const startMilliseconds = 60_000

/**
 * Starts a program and waits until it is ready. It ends when this process ends.
 *
 * @param isReady takes what it has printed
 * @throws Error with what it printed, when it ends before that or takes longer than a minute
 */
export async function startProgram(
  [command = '', ...parameters]: readonly string[],
  { logFile, lastSignal, pollMilliseconds = 20, ...options }: ProgramOptions,
  isReady: (printed: string) => boolean | Promise<boolean>,
): Promise<Program> {
  const log = logFile === undefined ? 'pipe' : openSync(logFile, 'a')
  const child = spawn(command, parameters, { ...options, stdio: ['ignore', 'pipe', log] })
  endWithThisProcess(child, lastSignal)
  // 'close' comes with the exit code.
  const ended = once(child, 'close').then(([code]) => code as number | null)
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (printed += text))
  let problem: string | undefined
  ended.catch((error: unknown) => (problem = String(error)))
  const deadline = performance.now() + startMilliseconds
  while (!(await isReady(printed))) {
    if (hasEnded(child)) problem = `it ended with ${String(child.exitCode ?? child.signalCode)}`
    else if (performance.now() > deadline) problem = 'it takes too long'
    if (problem !== undefined) {
      await endProcess(child, 'SIGKILL')
      const said = logFile === undefined ? printed : printed + readFileSync(logFile, 'utf8')
      throw new Error(`${command} did not start: ${problem}\n${said.slice(-4_000)}`)
    }
    await sleep(pollMilliseconds)
  }
  return {
    child,
    // A process that printed or answered has an id.
    pid: child.pid!,
    printed: () => printed,
    ended,
    end: (signal) => endProcess(child, signal),
  }
}

export function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null
}

/** Ends a process, unless it has ended. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (hasEnded(child)) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}

const running = new Map<ChildProcess, NodeJS.Signals>()
let isWatching = false

/**
 * Ends a process when this process ends, also by a signal or because nobody reads its output any more.
 *
 * @param signal must end the processes that it has started, too
 */
export function endWithThisProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): void {
  running.set(child, signal)
  child.once('exit', () => running.delete(child))
  if (isWatching) return
  isWatching = true
  process.on('exit', () => {
    for (const [program, ending] of running) program.kill(ending)
  })
  // A signal without a handler ends a process without the event 'exit'.
  for (const each of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(each, () => process.exit(1))
}
