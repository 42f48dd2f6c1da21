import { type ParseArgsConfig, parseArgs } from 'node:util'

/** A command cannot be carried out. The message says why, and what to do. */
export class UsageError extends Error {}

/** The usage, which `--help` asks for. */
class Help extends Error {}

/**
 * Reads the arguments of a command.
 *
 * @throws UsageError with the usage, if they do not match `config` or repeat an option; Help with `--help`
 */
export function readArguments<Config extends ParseArgsConfig>(usage: string, config: Config) {
  if ((config.args ?? process.argv.slice(2)).includes('--help')) throw new Help(usage)
  try {
    const { tokens = [], ...parsed } = parseArgs({ ...config, tokens: true })
    const names = tokens.flatMap((token) => (token.kind === 'option' ? token.name : []))
    const twice = names.find((name, index) => names.indexOf(name) < index && config.options?.[name]?.multiple !== true)
    // Node would take the last one.
    if (twice !== undefined) throw new Error(`--${twice} is given twice`)
    return parsed
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n${usage}`, { cause: error })
  }
}

/** Reads the options of a command that takes nothing else. Ends the process if they are wrong, or for `--help`. */
export function takeOptions<Options extends NonNullable<ParseArgsConfig['options']>>(usage: string, options: Options) {
  try {
    return readArguments(usage, { options }).values
  } catch (error) {
    process.exit(report(error, []))
  }
}

type ErrorClass = new (...parameters: never[]) => Error

/**
 * Runs a command. After an error the exit code is 1. Prints a `UsageError`, a system error and errors of the classes
 * `expected` without a stack.
 */
export async function runCommand(run: () => Promise<void> | void, ...expected: ErrorClass[]): Promise<void> {
  try {
    await run()
  } catch (error) {
    process.exitCode = report(error, expected)
  }
}

/** Prints why a command ended. @returns its exit code */
function report(error: unknown, expected: readonly ErrorClass[]): number {
  if (error instanceof Help) {
    console.log(error.message)
    return 0
  }
  const isExpected = [UsageError, ...expected].some((expectedClass) => error instanceof expectedClass)
  console.error(isExpected || (error instanceof Error && 'syscall' in error) ? (error as Error).message : error)
  return 1
}

/** Reads an integer option. @throws UsageError with the usage, if it is not an integer or out of range */
export function readInteger(usage: string, name: string, text: string, minimum: number, maximum = 2 ** 53 - 1): number {
  const value = /^[0-9]+$/.test(text) ? Number(text) : NaN
  if (value >= minimum && value <= maximum) return value
  throw new UsageError(`${name} must be from ${String(minimum)} to ${String(maximum)}, not ${text}\n${usage}`)
}
