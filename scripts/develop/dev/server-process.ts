import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** The time that a server may take to end. Then it is killed. */
const graceMilliseconds = 1500

/** The server in its own process, which every change restarts. */
export interface ServerProcess {
  isRunning: () => boolean
  /** Ends the server if it runs, and starts it. */
  restart: () => Promise<void>
  stop: () => Promise<void>
}

/**
 * @param root the project's folder
 * @param say prints a line when the server ended by itself
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
      // Ctrl-C signals the process group of the terminal. This process receives it, and ends the server.
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
