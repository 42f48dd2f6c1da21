import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { contractFile } from '../generate/generate-files.ts'

const execute = promisify(execFile)

/** There is no contract at the commit to compare with. The message says so in one line. */
export class NoBaseContract extends Error {}

/** The text of openapi.yaml as it is in a commit, a branch or a tag. @throws NoBaseContract */
export async function readBaseContract(root: string, ref: string): Promise<string> {
  try {
    // `./` names the file in this folder, which need not be the repository's own.
    return await git(root, 'show', '--end-of-options', `${ref}:./${contractFile}`)
  } catch (error) {
    throw new NoBaseContract(`cannot read ${contractFile} of ${ref}: ${reasonOf(error)}`, { cause: error })
  }
}

/** The newest release tag, vX.Y.Z, in the history of what is checked out; undefined where there is none. */
export async function newestRelease(root: string): Promise<string | undefined> {
  try {
    const tags = await git(root, 'tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-version:refname')
    return tags.split('\n').find((tag) => /^v\d+\.\d+\.\d+$/.test(tag))
  } catch {
    // Not a git checkout, or one without a commit: there is nothing that was released.
    return undefined
  }
}

async function git(root: string, ...args: string[]): Promise<string> {
  const { stdout } = await execute('git', args, { cwd: root, maxBuffer: 2 ** 26 })
  return stdout
}

function reasonOf(error: unknown): string {
  const { stderr, message } = error as Error & { stderr?: string }
  return (stderr ?? message)
    .trim()
    .split('\n', 1)
    .join()
    .replace(/^fatal: /, '')
}
