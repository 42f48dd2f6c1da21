import { isatty } from 'node:tty'
import closeWithGrace from 'close-with-grace'
import type { FastifyBaseLogger } from 'fastify'

/** The signals that stop the service. A service manager, a terminal's Ctrl-C and its Ctrl-\ send them. */
const stopSignals = ['SIGTERM', 'SIGINT', 'SIGQUIT'] as const

/**
 * Signals that close-with-grace leaves alone. SIGHUP and those that stop the service have handlers here, and
 * src/main.ts has one for SIGUSR2. The others report a fault of the processor, as when the disk under a mapped file
 * fails. With a handler in JavaScript the instruction would be repeated for ever, and the handler would never run.
 */
const notForGrace = [
  ...stopSignals,
  ...(['SIGHUP', 'SIGUSR2', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGSEGV', 'SIGTRAP', 'SIGABRT'] as const),
]

/**
 * How long a signal after the first is taken for its repetition. A terminal sends a Ctrl-C to `npm start` and to the
 * server, and npm passes its own on.
 */
const repetitionMilliseconds = 500

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
 * exit code 1. A second signal to stop ends it at once, unless it comes within half a second of the first.
 *
 * @returns whether the process is ending
 */
export function handleSignals({ log, graceMilliseconds, close }: Ending): () => boolean {
  // Read at the start, because isatty() is false once the terminal is gone.
  const hasTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor))
  const early = stopSignals.flatMap((signal) => process.listeners(signal).map((listener) => ({ signal, listener })))
  let endingSince: number | undefined
  // 'beforeExit' would change the exit code of a failed start to 0.
  const options = { delay: graceMilliseconds, logger: log, skip: [...notForGrace, 'beforeExit' as const] }
  const ending = closeWithGrace(options, async ({ err }) => {
    endingSince = performance.now()
    if (err) log.fatal({ err }, 'stopping after an error that nobody handled')
    await close()
  })
  function stop(signal: NodeJS.Signals): void {
    log.info({ signal }, 'stopping')
    ending.close()
  }
  for (const stopSignal of stopSignals) {
    process.on(stopSignal, (signal) => {
      if (endingSince === undefined) stop(signal)
      else if (performance.now() - endingSince > repetitionMilliseconds) {
        log.error(`second ${signal}, exiting`)
        process.exit(1)
      }
    })
  }
  process.on('SIGHUP', (signal) => {
    if (!hasTerminal) log.warn('SIGHUP ignored: no terminal is attached; SIGTERM stops the service')
    // When a terminal closes, the shell and the kernel both send it, so a second one is ignored.
    else if (endingSince === undefined) stop(signal)
  })
  for (const { signal, listener } of early) process.off(signal, listener)
  return () => endingSince !== undefined
}
