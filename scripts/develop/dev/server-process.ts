import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** How long a server may take to end before it is killed. */
const graceMilliseconds = 1500

/** The server as a process of its own, so that it begins anew with every change. */
export interface ServerProcess {
  isRunning: () => boolean
  /** Ends the server if it runs, and starts it, unless `stop` has been called. */
  restart: () => Promise<void>
  /** Ends the server for good. */
  stop: () => Promise<void>
}

/**
 * @param root the project's folder
 * @param say tells the person that the server ended by itself
 */
export function createServerProcess(root: string, say: (line: string) => void): ServerProcess {
  let child: ChildProcess | undefined
  let ending = Promise.resolve()
  let isStopped = false

  /** Resolves once no server runs, also where an earlier call is what ends it. */
  function end(): Promise<void> {
    if (child !== undefined) {
      ending = endProcess(child)
      child = undefined
    }
    return ending
  }

  process.on('exit', () => child?.kill('SIGTERM'))
  return {
    isRunning: () => child !== undefined,
    stop: () => {
      isStopped = true
      return end()
    },
    restart: async () => {
      await end()
      if (isStopped) return
      // In a process group of its own: an interrupt at the terminal is for this process, which then ends the server.
      const started = spawn(process.execPath, ['src/main.ts'], {
        cwd: root,
        env: { SHUTDOWN_DELAY: '0', ...process.env },
        stdio: ['ignore', 'inherit', 'inherit'],
        detached: true,
      })
      child = started
      started.on('exit', (code) => {
        if (child !== started) return
        child = undefined
        say(`the server ended with ${String(code)}; it starts again at the next save`)
      })
    },
  }
}

async function endProcess(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMilliseconds)
  await exit
  clearTimeout(timer)
}
