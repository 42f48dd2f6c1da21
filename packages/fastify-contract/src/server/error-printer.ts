import type { FastifyBaseLogger } from 'fastify'
import { inspect } from 'node:util'
import { printable } from '../json/printable.ts'

/** The log of a server that was given none: errors go to standard error, also those of warnings, and nothing else is written. */
export class ErrorPrinter implements FastifyBaseLogger {
  readonly level = 'error'
  readonly silent = ignore
  readonly trace = ignore
  readonly debug = ignore
  readonly info = ignore
  readonly #bindings: object
  readonly #parent: ErrorPrinter | undefined

  constructor(bindings: object = {}, parent?: ErrorPrinter) {
    this.#bindings = bindings
    this.#parent = parent
  }

  child(bindings: object): ErrorPrinter {
    // Nearly every request makes one and writes nothing.
    return new ErrorPrinter(bindings, this)
  }

  get #allBindings(): object {
    return this.#parent === undefined ? this.#bindings : { ...this.#parent.#allBindings, ...this.#bindings }
  }

  error(given: unknown, message?: string): void {
    const own = typeof given === 'object' ? given : {}
    const { err, ...members }: { err?: unknown } = { ...this.#allBindings, ...own }
    const values = Object.entries(members).map(
      ([name, value]) => `${name}=${typeof value === 'string' ? value : inspect(value)}`,
    )
    const lines = [
      [typeof given === 'string' ? given : message, ...values].join(' '),
      ...(err === undefined ? [] : inspect(err).split('\n')),
    ]
    console.error(lines.map(printable).join('\n'))
  }

  /** Fastify warns of an error that comes after the headers of its response. */
  warn(given: unknown, message?: string): void {
    if (given instanceof Object && 'err' in given) this.error(given, message)
  }

  fatal(given: unknown, message?: string): void {
    this.error(given, message)
  }
}

function ignore(): void {
  // Not an error.
}

/** Writes nothing. */
export const silent: FastifyBaseLogger = {
  level: 'silent',
  child: () => silent,
  ...{ fatal: ignore, error: ignore, warn: ignore, info: ignore, debug: ignore, trace: ignore, silent: ignore },
}
