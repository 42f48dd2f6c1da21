import { spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { createInterface } from 'node:readline'
import { fileOfPackage } from '../check/run-tool.ts'

const compiler = fileOfPackage('typescript-7', 'bin/tsc')

/**
 * Runs the compiler in watch mode, with a lower priority than the server.
 *
 * @param say prints each error, and the number of errors after each change
 */
export function watchTypes(root: string, say: (line: string) => void): { close: () => void } {
  const child = spawn(
    process.execPath,
    [
      compiler,
      '--noEmit',
      '--watch',
      '--preserveWatchOutput',
      '--pretty',
      'false',
      '--incremental',
      '--tsBuildInfoFile',
      '.cache/dev.tsbuildinfo',
    ],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    },
  )
  if (child.pid !== undefined) setPriority(child.pid, 10)
  createInterface({ input: child.stdout }).on('line', (line) => {
    const count = /Found (\d+) errors?\./.exec(line)?.[1]
    if (count !== undefined)
      say(count === '0' ? 'types: no error' : `types: ${count} ${count === '1' ? 'error' : 'errors'}`)
    else if (/\berror TS\d+:/.test(line)) say(`types: ${line}`)
  })
  const close = () => {
    child.kill('SIGTERM')
  }
  process.on('exit', close)
  return { close }
}
