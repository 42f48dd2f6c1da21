import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { UsageError } from '../../command.ts'

const execute = promisify(execFile)

/**
 * Runs git in a folder.
 *
 * @returns what it wrote to standard output, without the last line break
 * @throws UsageError with git's own message when it fails
 */
export async function git(folder: string, ...args: string[]): Promise<string> {
  try {
    const { stdout } = await execute('git', args, { cwd: folder, maxBuffer: 2 ** 26 })
    return stdout.trimEnd()
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string }
    throw new UsageError(`git ${args[0] ?? ''} failed: ${(stderr ?? '').trim() || message}`, { cause: error })
  }
}
