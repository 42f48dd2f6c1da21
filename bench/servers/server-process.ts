import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { type Scheduling, schedulingOf } from './process-figures.ts'
import { startProgram } from './program.ts'

/** The processors of the servers and of the load generator. */
export const serverProcessor = '0'
export const loadProcessor = '1'

/** The working directory of the servers. */
export const projectFolder = join(import.meta.dirname, '../..')

/** The variables and the arguments of `node` in the script of `npm start`. */
const [variables = '', nodeArguments = ''] = readStartScript().split('exec node ')
export const startArguments = nodeArguments.split(' ')
// A variable that it reads has a value.
export const startEnvironment = parseEnv(variables.replaceAll(' ', '\n')) as Record<string, string>

function readStartScript(): string {
  const { scripts } = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8')) as {
    scripts: { start: string }
  }
  return scripts.start
}

const listening = /http:\/\/127\.0\.0\.1:([0-9]+)/

export interface ServerCommand {
  /** The program; this Node by default. */
  program?: string | undefined
  /** The arguments of the program: for Node its options, the file to run, and the file's arguments. */
  arguments: readonly string[]
  environment: Record<string, string>
  /** Receives standard error, to which the project's server logs; it is appended to. */
  logFile: string
  /** The processors that it may use, as taskset(1) takes them; `serverProcessor` by default. */
  processors?: string
}

/** A server that listens, pinned to its processors. The kernel counts its figures, which costs the server nothing. */
export interface ServerProcess {
  port: number
  pid: number
  /** Sums over all threads since the start; exact while the server is idle. */
  scheduling: () => Scheduling
  /** With SIGTERM, or another signal. */
  stop: (signal?: NodeJS.Signals) => Promise<void>
}

/**
 * Starts a server and waits until it prints where it listens.
 *
 * @throws Error when it ends before that
 */
export async function startServer({
  program = process.execPath,
  arguments: args,
  environment,
  logFile,
  processors = serverProcessor,
}: ServerCommand): Promise<ServerProcess> {
  // taskset becomes the program, with the same id.
  const { pid, printed, end } = await startProgram(
    ['taskset', '-c', processors, program, ...args],
    {
      cwd: projectFolder,
      env: {
        ...startEnvironment,
        PATH: process.env['PATH'],
        HOST: '127.0.0.1',
        PORT: '0',
        SHUTDOWN_DELAY: '0',
        ...environment,
      },
      logFile,
    },
    (text) => listening.test(text),
  )
  return {
    port: Number(listening.exec(printed())?.[1]),
    pid,
    scheduling: () => schedulingOf(pid),
    stop: end,
  }
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
