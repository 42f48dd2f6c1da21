import { isatty } from 'node:tty'
import closeWithGrace from 'close-with-grace'
import type { FastifyBaseLogger } from 'fastify'

/** The signals that stop the service. A service manager, a terminal's Ctrl-C and its Ctrl-\ send them. */
const stopSignals = ['SIGTERM', 'SIGINT', 'SIGQUIT'] as const

/**
 * Signals that close-with-grace leaves alone. SIGHUP has a handler of its own, and src/main.ts has one for SIGUSR2. The
 * others report a fault of the processor, as when the disk under a mapped file fails. With a handler in JavaScript the
 * instruction would be repeated for ever, and the handler would never run.
 */
const notForStopping = ['SIGHUP', 'SIGUSR2', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGSEGV', 'SIGTRAP', 'SIGABRT'] as const

/** How the process ends. */
export interface Ending {
  log: FastifyBaseLogger
  /** How long `close` may take. Then the process ends with exit code 1. */
  graceMilliseconds: number
  /** Closes all that is open. It is called once. */
  close: () => Promise<void>
}

/**
 * Ends the process with exit code 0 at SIGTERM, SIGINT and SIGQUIT. At SIGHUP it does so where standard input, output
 * or error is a terminal. Elsewhere SIGHUP is logged and ignored. An error that nobody handles ends the process with
 * exit code 1. A second signal to stop ends it at once.
 *
 * @returns whether the process is ending
 */
export function handleSignals({ log, graceMilliseconds, close }: Ending): () => boolean {
  // Read at the start, because isatty() is false once the terminal is gone.
  const hasTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor))
  const early = stopSignals.flatMap((signal) => process.listeners(signal).map((listener) => ({ signal, listener })))
  let isEnding = false
  // 'beforeExit' would change the exit code of a failed start to 0.
  const options = { delay: graceMilliseconds, logger: log, skip: [...notForStopping, 'beforeExit' as const] }
  const ending = closeWithGrace(options, async ({ err, signal = 'SIGHUP' }) => {
    isEnding = true
    if (err) log.fatal({ err }, 'stopping after an error that nobody handled')
    else log.info({ signal }, 'stopping')
    await close()
  })
  process.on('SIGHUP', () => {
    if (!hasTerminal) log.warn('SIGHUP ignored: no terminal is attached; SIGTERM stops the service')
    // When a terminal closes, the shell and the kernel both send it, so a second one is ignored.
    else if (!isEnding) ending.close()
  })
  for (const { signal, listener } of early) process.off(signal, listener)
  return () => isEnding
}
