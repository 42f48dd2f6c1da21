import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { nodeBinary, projectFolder } from '../support/server/start-process.ts'

const { scripts } = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}

/** The commands of the project itself, with the arguments of node. The others are those of tools. */
const commands = Object.entries(scripts).flatMap(([name, command]) => {
  const [, own] = /^(?:\S+=\S+ )?(?:exec )?node (.*(?:scripts|bench|src)\/\S+\.ts)$/.exec(command) ?? []
  return own === undefined ? [] : [[name === 'start' ? 'npm start' : `npm run ${name}`, own.split(' ')] as const]
})

async function run(command: readonly string[], argument: string) {
  const child = spawn(nodeBinary, [...command, argument], {
    cwd: projectFolder,
    // A command that does more than it should writes nothing that stays.
    env: { ...process.env, PORT: '0', DATABASE_URL: 'sqlite::memory:', NODE_NO_WARNINGS: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = new Promise((resolve) => child.once('close', resolve))
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { stdout, stderr, code }
}

/** Some load a linter and a compiler, which takes seconds. */
const timeout = 60_000

test.each(commands)('%s -- --help prints the usage and does nothing else', { timeout }, async (name, command) => {
  const { stdout, stderr, code } = await run(command, '--help')
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
  expect(stdout).toMatch(new RegExp(`^Usage: ${name}\\b[^]+\n$`))
})

test.each(commands.filter(([name]) => ['npm start', 'npm run overload', 'npm run fuzz'].includes(name)))(
  '%s refuses an option that it does not have, and says how it is used',
  { timeout },
  async (name, command) => {
    const { stdout, stderr, code } = await run(command, '--halp')
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 })
    expect(stderr).toMatch(new RegExp(`--halp[^]*\nUsage: ${name}\\b`))
  },
)
