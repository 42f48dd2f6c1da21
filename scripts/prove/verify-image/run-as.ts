import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

type Environment = Record<string, string | undefined>

function start(uid: number, folder: string, [program = '', ...parameters]: string[], env: Environment): ChildProcess {
  return spawn(program, parameters, { cwd: folder, env, uid, gid: uid, stdio: ['ignore', 'pipe', 'pipe'] })
}

/** Collects the output of a process. */
function output(child: ChildProcess): () => string {
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (piece: string) => (text += piece))
  return () => text
}

/** Runs a command as a user, to its end. @returns its output @throws Error with its output, when it fails */
export async function runAs(uid: number, folder: string, command: string[], environment: Environment): Promise<string> {
  const child = start(uid, folder, command, environment)
  const printed = output(child)
  // 'close' comes with the exit code, or null after a signal.
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${String(code)}: ${printed()}`)
  return printed()
}

/** A server that listens. */
export interface RunningServer {
  origin: string
  /** What it has printed. */
  printed: () => string
  /** Ends it with SIGTERM. @throws Error when its exit code is not 0 */
  stop: () => Promise<void>
}

/** Starts a server as a user, and waits until it prints its origin. @throws Error with its output, when it ends */
export async function serveAs(
  uid: number,
  folder: string,
  command: string[],
  environment: Environment,
): Promise<RunningServer> {
  const child = start(uid, folder, command, environment)
  const printed = output(child)
  const ended = once(child, 'close') as Promise<[number | null]>
  const origin = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const address = /^Plant Store +(\S+)$/m.exec(printed())?.[1]
      if (address !== undefined) resolve(address)
    })
    void ended.then(([code]) => {
      reject(new Error(`the server ended with ${String(code)}: ${printed()}`))
    })
  })
  return {
    origin,
    printed,
    stop: async () => {
      child.kill('SIGTERM')
      const [code] = await ended
      if (code !== 0) throw new Error(`the server ended with ${String(code)} after SIGTERM: ${printed()}`)
    },
  }
}
