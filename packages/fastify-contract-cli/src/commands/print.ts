import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { printable } from 'fastify-contract/json'
import type { CommandResult } from '../model/yaml/findings.ts'
import { UsageError } from './usage-error.ts'

/** Prints lines. What a contract or a file name contains does not control the terminal. */
export function print(text: string, write: (line: string) => void = console.log): void {
  for (const line of text.split('\n')) write(printable(line))
}

/** Prints the result of a command. @returns its exit code */
export function printResult({ ok, lines }: CommandResult): 0 | 1 {
  print(lines.join('\n'), ok ? console.log : console.error)
  return ok ? 0 : 1
}

/** Ends the process when nobody reads any more what it prints. @param code its exit code behind a closed pipe */
export function endWithOutput(code: 0 | 2): void {
  const { stdout } = process
  if (stdout.listenerCount('error') > 0) return
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(code)
    console.error(printable(error.message))
    process.exit(2)
  })
}

/** Writes the file of an option, with its folders. @throws UsageError */
export async function writeOutput(option: string, file: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(resolve(file)), { recursive: true })
    await writeFile(file, text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(`${option}: ${file} cannot be written (${reason})`, { cause: error })
  }
}
