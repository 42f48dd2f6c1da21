import { isatty } from 'node:tty'
import type { FastifyBaseLogger } from 'fastify'

/** The signals that stop the service. A service manager, a terminal's Ctrl-C and its Ctrl-\ send them. */
const stopSignals = ['SIGTERM', 'SIGINT', 'SIGQUIT'] as const

/**
 * A signal this soon after the first is taken for its repetition. A terminal sends Ctrl-C to `npm start` and to the
 * server, and npm forwards its own.
 */
const repetitionMilliseconds = 500

/** How to shut down. */
export interface ShutdownOptions {
  log: FastifyBaseLogger
  /** How long `close` may take. Then the process ends with exit code 1. */
  graceMilliseconds: number
  /** Closes everything that is open. Called once. */
  close: () => Promise<void>
}

/**
 * Stops the process with exit code 0 on SIGTERM, SIGINT and SIGQUIT, and on SIGHUP if standard input, output or error
 * is a terminal. Otherwise SIGHUP is logged and ignored. An unhandled error stops the process with exit code 1. A
 * second stop signal ends it at once, unless it comes within half a second of the first.
 */
export function handleSignals({ log, graceMilliseconds, close }: ShutdownOptions): void {
  // Read at the start, because isatty() is false once the terminal is gone.
  const hasTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor))
  const early = stopSignals.flatMap((signal) => process.listeners(signal).map((listener) => ({ signal, listener })))
  let endingSince: number | undefined

  function end(exitCode: number): void {
    endingSince = performance.now()
    setTimeout(() => {
      log.error(`not stopped within ${String(graceMilliseconds)} ms, exiting`)
      process.exit(1)
    }, graceMilliseconds)
    close().then(
      () => process.exit(exitCode),
      (error: unknown) => {
        log.error(error)
        process.exit(1)
      },
    )
  }
  function stop(signal: NodeJS.Signals): void {
    log.info({ signal }, 'stopping')
    end(0)
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
    if (!hasTerminal) log.warn('SIGHUP ignored: no terminal is attached; stop the service with SIGTERM')
    // When a terminal closes, the shell and the kernel both send it, so a second one is ignored.
    else if (endingSince === undefined) stop(signal)
  })
  // Node raises an unhandled rejection as an uncaught exception.
  process.on('uncaughtException', (err) => {
    log.fatal({ err }, 'stopping after an unhandled error')
    if (endingSince === undefined) end(1)
    else process.exit(1)
  })
  for (const { signal, listener } of early) process.off(signal, listener)
}
