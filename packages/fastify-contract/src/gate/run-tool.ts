import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

/**
 * For Redocly, which follows references by recursion, and a contract of a thousand schemas that refer to one another:
 * KiB, of the 8 MiB that the main thread of a process has.
 */
export const stackSize = '--stack-size=3900'

/** @returns the path of a file of an installed package, even if the package does not export it */
export function fileOfPackage(packageName: string, file: string): string {
  return join(dirname(require.resolve(`${packageName}/package.json`)), file)
}

/**
 * Runs the command of an installed package.
 *
 * @param root the folder to run it in
 * @param script the command's file in the package
 * @param variables of the environment, beside those of this process
 * @returns whether its exit code was 0, and its output
 */
export async function runTool(
  root: string,
  packageName: string,
  script: string,
  args: string[],
  variables: Record<string, string> = {},
): Promise<{ ok: boolean; output: string }> {
  const child = spawn(process.execPath, [stackSize, fileOfPackage(packageName, script), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', ...variables },
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve))
  return { ok: code === 0, output: Buffer.concat(chunks).toString().trim() }
}
