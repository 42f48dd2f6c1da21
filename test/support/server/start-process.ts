import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export const projectFolder = join(import.meta.dirname, '../../..')

/** The Node that the project brings along, on which its commands run. */
export const nodeBinary = join(projectFolder, 'node_modules/.bin/node')

/** A server that runs as a process of its own, as in production. */
export interface ServerProcess {
  /** Such as `http://127.0.0.1:3000`. */
  origin: string
  child: ChildProcess
  /** What it has printed. */
  stdout: () => string
  stderr: () => string
  /**
   * Its exit code once it has ended and everything that it printed has been read; null after a signal that it did not
   * handle.
   */
  ended: Promise<number | null>
  /** Ends it with a signal and waits until it is gone. */
  end: (signal?: NodeJS.Signals) => Promise<void>
}

/**
 * Starts `src/main.ts` on a free port, unless the environment says otherwise, and waits until it listens.
 *
 * @param command what starts it
 * @throws Error with what it printed when it ends instead
 */
export async function startProcess(
  environment: Record<string, string>,
  [command, ...parameters]: readonly [string, ...string[]] = [nodeBinary, join(projectFolder, 'src/main.ts')],
): Promise<ServerProcess> {
  const child = spawn(command, parameters, {
    cwd: projectFolder,
    env: { ...process.env, PORT: '0', LOG_LEVEL: 'warn', SHUTDOWN_DELAY: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // 'close' comes with the exit code.
  const ended = once(child, 'close').then(([code]) => code as number | null)
  let stdout = ''
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const origin = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      // The last line of what it says: see src/process/welcome.ts.
      const [, address] = /^Plant Store +(\S+)\n[^]*^(?:Token|Try) .*\n/m.exec(stdout) ?? []
      if (address !== undefined) resolve(address)
    })
    child.once('error', reject)
    child.once('close', (code) => {
      reject(new Error(`the server ended with ${String(code)}: ${stderr}`))
    })
  })
  return {
    origin,
    child,
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
    end: async (signal = 'SIGTERM') => {
      child.kill(signal)
      await ended
    },
  }
}

/**
 * Runs a script of this project to its end.
 *
 * @param prefix the beginning of a command that starts it
 * @returns what it printed
 */
export async function runScript(
  script: string,
  parameters: string[],
  environment: Record<string, string> = {},
  prefix: string[] = [],
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn('env', [...prefix, nodeBinary, join(projectFolder, script), ...parameters], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  // 'close' comes with the exit code, or null after a signal.
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr }
}
