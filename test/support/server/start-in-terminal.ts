import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { type ServedDatabase, servedDatabase } from './served-database.ts'
import { temporaryFolder } from './start-app.ts'
import { nodeBinary, projectFolder } from './start-process.ts'

/** A server in a terminal that a test can close. */
export interface TerminalServer extends Pick<ServedDatabase, 'file' | 'token'> {
  /** script(1), which makes the terminal and copies its output, as long as its own output is read. */
  terminal: ChildProcess
  origin: string
  pid: number
  isAlive: () => boolean
  /** What the server has written to the file `$SAID`. */
  said: () => string
}

/**
 * Starts the server in its own terminal and waits until it prints its address.
 *
 * @param command for the terminal's shell. `$SERVER` starts the server. It must write its origin to the file `$SAID` and
 *   its process id to the file `$PID`.
 * @param output whether output to the terminal is lost, or fills a pipe that nobody reads
 */
export async function startInTerminal(command: string, output: 'ignore' | 'pipe' = 'ignore'): Promise<TerminalServer> {
  const folder = await temporaryFolder()
  const [saidFile, pidFile] = [join(folder, 'said'), join(folder, 'pid')]
  const { file, token } = await servedDatabase()
  const terminal = spawn('script', ['--quiet', '--command', command, '/dev/null'], {
    env: {
      ...process.env,
      SHELL: '/bin/bash',
      SERVER: `${nodeBinary} ${join(projectFolder, 'src/main.ts')}`,
      SAID: saidFile,
      PID: pidFile,
      PORT: '0',
      LOG_LEVEL: 'info',
      SHUTDOWN_DELAY: '0',
      DATABASE_URL: `sqlite:${file}`,
    },
    stdio: ['ignore', output, 'ignore'],
  })
  onTestFinished(() => void terminal.kill('SIGKILL'))
  const said = () => (statSync(saidFile, { throwIfNoEntry: false }) === undefined ? '' : readFileSync(saidFile, 'utf8'))
  const origin = () => /(http:\/\/127\.0\.0\.1:[0-9]+)[^0-9]/.exec(said())?.[1] ?? ''
  await expect.poll(origin, { timeout: 10_000 }).not.toBe('')
  const pid = Number(readFileSync(pidFile, 'utf8'))
  const isAlive = () => statSync(`/proc/${String(pid)}`, { throwIfNoEntry: false }) !== undefined
  expect(isAlive()).toBe(true)
  onTestFinished(() => {
    if (isAlive()) process.kill(pid, 'SIGKILL')
  })
  return { terminal, origin: origin(), file, token, pid, isAlive, said }
}
