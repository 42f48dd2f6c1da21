import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** How long a server may take to end before it is killed. */
const graceMilliseconds = 1500

/** The server as a process of its own, so that it begins anew with every change. */
export interface ServerProcess {
  isRunning: () => boolean
  /** Ends the server if it runs, and starts it. */
  restart: () => Promise<void>
  stop: () => Promise<void>
}

/**
 * @param root the project's folder
 * @param say tells the person that the server ended by itself
 */
export function createServerProcess(root: string, say: (line: string) => void): ServerProcess {
  let child: ChildProcess | undefined

  async function stop(): Promise<void> {
    const ending = child
    child = undefined
    if (ending === undefined) return
    const exit = once(ending, 'exit')
    ending.kill('SIGTERM')
    const timer = setTimeout(() => ending.kill('SIGKILL'), graceMilliseconds)
    await exit
    clearTimeout(timer)
  }

  process.on('exit', () => child?.kill('SIGTERM'))
  return {
    isRunning: () => child !== undefined,
    stop,
    restart: async () => {
      await stop()
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
