import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { type Program, type ProgramOptions, startProgram } from './program.ts'

export const projectFolder = join(import.meta.dirname, '../../..')

/** The Node of the project, which runs its commands. */
export const nodeBinary = join(projectFolder, 'node_modules/.bin/node')

export type Command = readonly [string, ...string[]]

/** What `npm start` runs. NODE_OPTIONS can add options of Node. */
export const startCommand: Command = [join(projectFolder, 'scripts/start.sh')]

/** A server in its own process. */
export interface ServerProcess extends Program {
  /** Such as `http://127.0.0.1:3000`. */
  origin: string
  port: number
}

/** What a listening peer of the bench prints, or the service (src/process/welcome.ts). */
const listening = /^(?:(http:\S+)|Plant Store +(http:\S+)\n[^]*^(?:Token|Try) .*)\n/m

/**
 * Starts a server on a free port, unless the environment says otherwise, and waits until it listens.
 *
 * @throws Error with its output when it ends instead
 */
export async function startProcess(
  environment: Record<string, string>,
  command = startCommand,
  options: Pick<ProgramOptions, 'logFile'> = {},
): Promise<ServerProcess> {
  const path = `${dirname(nodeBinary)}:${process.env['PATH'] ?? ''}`
  const own = { PATH: path, PORT: '0', LOG_LEVEL: 'warn', SHUTDOWN_DELAY: '0' }
  const env = { ...process.env, ...own, ...environment }
  const program = await startProgram(command, { cwd: projectFolder, env, ...options }, (text) => listening.test(text))
  const [, origin, ofService = ''] = listening.exec(program.stdout()) ?? []
  const { port } = new URL(origin ?? ofService)
  return { ...program, origin: origin ?? ofService, port: Number(port) }
}

/**
 * Runs a script of this project to its end.
 *
 * @param prefix a command that starts it, with its first arguments
 * @returns its exit code, null after a signal, and what it printed
 */
export async function runScript(
  script: string,
  parameters: string[],
  environment: Record<string, string> = {},
  prefix: string[] = [],
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const command = ['env', ...prefix, nodeBinary, join(projectFolder, script), ...parameters]
  const { ended, stdout, stderr } = await startProgram(command, { env: { ...process.env, ...environment } }, () => true)
  return { code: await ended, stdout: stdout(), stderr: stderr() }
}

/** @returns a free TCP port of 127.0.0.1 */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  // The address of a server that listens on a port is an object.
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
