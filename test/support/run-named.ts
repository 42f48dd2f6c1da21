import { UsageError, runCommand } from '../../scripts/command.ts'

/** A proof or a measurement: its summary, and its module. */
export interface NamedCommand {
  summary: string
  load: () => Promise<{ run: (args: string[]) => Promise<void> }>
}

/** This machine lacks what a proof needs. The message says what, and how to get it. */
export class Missing extends Error {}

/**
 * Runs one of several commands by its name, with the other arguments of this process. The exit code is 1 when the
 * command finds a fault, and 2 when this machine lacks what it needs.
 *
 * @param script the npm script
 * @param noun what the commands are
 * @param otherwise the name of the command that runs without a name
 */
export async function runNamed(
  script: string,
  noun: string,
  commands: Record<string, NamedCommand>,
  otherwise?: string,
): Promise<void> {
  const names = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(16)} ${summary}`)
  const name = otherwise === undefined ? 'NAME' : '[NAME]'
  const usage = `Usage: npm run ${script} -- ${name} [OPTION]...   npm run ${script} -- NAME --help lists the options of NAME

${names.join('\n')}`
  const [first, ...rest] = process.argv.slice(2)
  const isNamed = first?.startsWith('-') === false
  await runCommand(async () => {
    if (first === '--help') {
      console.log(usage)
      return
    }
    const command = commands[(isNamed ? first : otherwise) ?? '']
    if (command === undefined) throw new UsageError(`there is no ${noun} ${first ?? 'without a name'}\n${usage}`)
    const { run } = await command.load()
    try {
      await run(isNamed || first === undefined ? rest : [first, ...rest])
    } catch (error) {
      const missing = missingFor(error)
      if (missing === undefined) throw error
      console.error(missing)
      process.exitCode = 2
    }
  })
}

/** @returns what is missing and the remedy, or undefined if the error has another cause */
function missingFor(error: unknown): string | undefined {
  if (error instanceof Missing) return error.message
  if (!(error instanceof Error)) return undefined
  // Node's error for a program that does not exist.
  const { code, syscall = '', path = '' }: NodeJS.ErrnoException = error
  if (code === 'ENOENT' && syscall.startsWith('spawn')) return `${path} is not in PATH: install it first`
  return missingFor(error.cause)
}

/** Prints a figure. An unexpected one makes the exit code 1. */
export function report(what: string, value: string | number, isExpected = true): void {
  if (!isExpected) process.exitCode = 1
  console.log(`${isExpected ? ' ' : '!'} ${what.padEnd(76)} ${String(value)}`)
}
