import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of the project. */
export const project = join(import.meta.dirname, '../../..')

/** What a command did. */
export interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

export interface CommandOptions {
  environment?: Readonly<Record<string, string>>
  /** Where it runs; the project's folder unless it is given. */
  folder?: string
}

// The shape of package.json.
const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
  scripts: Partial<Record<string, string>>
}

/**
 * Begins `npm run NAME -- PARAMETERS` without the process of npm itself: the shell runs the script with the programs of
 * the project's packages. Of the environment it has what every program needs, and what it is given.
 */
function begin(name: string, parameters: readonly string[], { environment, folder }: CommandOptions): ChildProcess {
  const script = scripts[name]
  if (script === undefined) throw new Error(`package.json has no script ${name}; test/golden runs it`)
  const { PATH = '', HOME = '/', TMPDIR } = process.env
  return spawn('sh', ['-c', `${script} "$@"`, name, ...parameters], {
    cwd: folder ?? project,
    env: {
      PATH: `${join(project, 'node_modules/.bin')}:${PATH}`,
      HOME,
      ...(TMPDIR === undefined ? {} : { TMPDIR }),
      TZ: 'UTC',
      NODE_COMPILE_CACHE: join(project, '.cache/compiled-by-tests'),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** A command that runs longer is ended: it waits for something that does not come. */
const longestMilliseconds = 60_000

/** Runs a script of package.json to its end. A server that has started is stopped. */
export async function runCommand(
  name: string,
  parameters: readonly string[],
  options: CommandOptions = {},
): Promise<Outcome> {
  const child = begin(name, parameters, options)
  const output = gather(child)
  child.stdout?.on('data', () => {
    if (welcome.test(output().stdout)) child.kill('SIGTERM')
  })
  const limit = setTimeout(() => child.kill('SIGKILL'), longestMilliseconds)
  // 'close' comes with the exit code, or null after a signal.
  const [code] = (await once(child, 'close')) as [number | null]
  clearTimeout(limit)
  return { code, ...output() }
}

function gather(child: ChildProcess): () => { stdout: string; stderr: string } {
  let [stdout, stderr] = ['', '']
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  return () => ({ stdout, stderr })
}

/** What a server says when it listens: where, and more; the group is its port. */
const welcome = /http:\/\/[^\s/]+:(\d+)\n[^]*\n/

/** A server that runs as in production. */
export interface Service {
  port: number
  output: () => { stdout: string; stderr: string }
  /** Waits until standard error has what a pattern matches, and gives its first group. */
  logged: (pattern: RegExp) => Promise<string>
  /** Sends the signal to stop. */
  stop: () => void
  /** Ends it at once. */
  kill: () => void
  /** What it did, once it has ended. */
  ended: Promise<Outcome>
}

const startMilliseconds = 30_000

/** Starts `npm start` on a free port and waits until it has said where it listens. */
export async function startService(environment: Readonly<Record<string, string>>): Promise<Service> {
  const child = begin('start', [], { environment: { PORT: '0', ...environment } })
  const output = gather(child)
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...output() }))
  const waitFor = async (pattern: RegExp, read: () => string): Promise<string> => {
    const deadline = performance.now() + startMilliseconds
    for (;;) {
      const found = pattern.exec(read())?.[1]
      if (found !== undefined) return found
      if (child.exitCode !== null || performance.now() > deadline) {
        child.kill('SIGKILL')
        throw new Error(`the server has not printed ${String(pattern)}: ${JSON.stringify(output())}`)
      }
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  const port = await waitFor(welcome, () => output().stdout)
  return {
    port: Number(port),
    output,
    logged: (pattern) => waitFor(pattern, () => output().stderr),
    stop: () => void child.kill('SIGTERM'),
    kill: () => void child.kill('SIGKILL'),
    ended,
  }
}
