import { execFile } from 'node:child_process'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { vi } from 'vitest'
import { runCommand } from '../src/commands/run-command.ts'

/** The repository. */
export const repository = join(import.meta.dirname, '../../..')

/** Makes the packages of the repository importable in a folder. */
export function linkPackages(root: string): Promise<void> {
  return symlink(join(repository, 'node_modules'), join(root, 'node_modules'))
}

/** Compiles a project. @returns the errors of its types */
export async function compile(root: string): Promise<string> {
  const compiler = join(repository, 'node_modules/typescript-7/bin/tsc')
  const options = ['-p', root, '--pretty', 'false', '--noErrorTruncation']
  const run = promisify(execFile)(process.execPath, [compiler, ...options], { cwd: root })
  return (await run.catch((error: unknown) => error as { stdout: string })).stdout
}

/** What a command prints, and its exit code. */
export interface Output {
  code: number
  stdout: string
  stderr: string
}

/** Runs the command line in a process of its own, in a folder. @param around what the shell puts before and after it */
export function runPiped(root: string, args: string[], around: { before?: string; after?: string }): Promise<Output> {
  const line = `${around.before ?? ''} "$0" "$@" ${around.after ?? ''}`
  const cli = join(import.meta.dirname, '../src/cli.ts')
  const command = ['-o', 'pipefail', '-c', line, process.execPath, cli, ...args]
  return promisify(execFile)('bash', command, { cwd: root, maxBuffer: 2 ** 26 }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: unknown) => error as Output,
  )
}

/** Runs the command line in a folder, in this process: another one would load the compiler for a second. */
export async function runHere(root: string, args: string[]): Promise<Output> {
  const before = process.cwd()
  const [stdout, stderr]: [string[], string[]] = [[], []]
  const spies = [
    vi.spyOn(console, 'log').mockImplementation((line: string) => void stdout.push(`${line}\n`)),
    vi.spyOn(console, 'error').mockImplementation((line: string) => void stderr.push(`${line}\n`)),
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => stdout.push(String(text)) > 0),
  ]
  process.chdir(root)
  try {
    const code = await runCommand(args)
    return { code, stdout: stdout.join(''), stderr: stderr.join('') }
  } finally {
    process.chdir(before)
    for (const spy of spies) spy.mockRestore()
  }
}
