import { type ChildProcess, spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { createInterface } from 'node:readline'
import { fileOfPackage } from '../../../packages/fastify-contract/src/gate/run-tool.ts'

const compiler = fileOfPackage('typescript-7', 'bin/tsc')
const options = ['--noEmit', '--pretty', 'false', '--incremental', '--tsBuildInfoFile', '.cache/dev.tsbuildinfo']

/** Checks the types of the project, beside the server and after it in priority. */
export interface TypeCheck {
  /** Checks what is saved now; while a check runs, another one follows it. */
  start: () => void
  stop: () => void
}

/**
 * Runs the compiler once for each save. `tsc --watch` has a watcher of its own, which misses files that are replaced
 * soon after one another.
 *
 * @param root the project's folder
 * @param say tells the person each error, and how many there are
 */
export function createTypeCheck(root: string, say: (line: string) => void): TypeCheck {
  let child: ChildProcess | undefined
  let again = false
  let isStopped = false

  function start(): void {
    again = child !== undefined
    if (again || isStopped) return
    // In a process group of its own, as the server.
    const compiling = spawn(process.execPath, [compiler, ...options], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    })
    child = compiling
    if (compiling.pid !== undefined) setPriority(compiling.pid, 10)
    let errors = 0
    createInterface({ input: compiling.stdout }).on('line', (line) => {
      if (!/\berror TS\d+:/.test(line)) return
      errors++
      say(`types: ${line}`)
    })
    compiling.on('close', (code) => {
      child = undefined
      if (isStopped) return
      if (errors > 0) say(`types: ${String(errors)} ${errors === 1 ? 'error' : 'errors'}`)
      else say(code === 0 ? 'types: no error' : `types: the compiler ended with ${String(code)}`)
      if (again) start()
    })
  }

  function stop(): void {
    isStopped = true
    child?.kill('SIGTERM')
  }
  process.on('exit', stop)
  return { start, stop }
}
