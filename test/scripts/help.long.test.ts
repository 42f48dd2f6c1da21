import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectFolder, runScript } from '../support/server/start-process.ts'

const { scripts } = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}

/** The commands of the project itself, with the file of each. The others are those of tools. */
const commands = Object.entries(scripts).flatMap(([name, command]) => {
  const [, file] = /\bnode .*?((?:scripts|bench|src)\/\S+\.ts)$/.exec(command) ?? []
  return file === undefined ? [] : [[name === 'start' ? 'npm start' : `npm run ${name}`, file] as const]
})

/** If a command does too much, it writes nothing that stays. */
const environment = { PORT: '0', DATABASE_URL: 'sqlite::memory:', NODE_NO_WARNINGS: '1' }

/** Some load a linter and a compiler, which takes seconds. */
const timeout = 60_000

test.each(commands)('%s -- --help prints the usage and does nothing else', { timeout }, async (name, file) => {
  const { code, stdout, stderr } = await runScript(file, ['--help'], environment)
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
  expect(stdout).toMatch(new RegExp(`^Usage: ${name}\\b[^]+\n$`))
})

test('each command of npm run bench prints its usage', { timeout }, async () => {
  const { stdout: listed } = await runScript('bench/bench.ts', ['--help'])
  const names = [...listed.matchAll(/^ {2}(\S+) +\S/gm)].map(([, name = '']) => name)
  expect(names).toEqual(expect.arrayContaining(['compare', 'fuzz', 'power-loss', 'citus']))
  for (const name of names) {
    const { code, stdout, stderr } = await runScript('bench/bench.ts', [name, '--help'])
    expect({ name, stderr, code }).toEqual({ name, stderr: '', code: 0 })
    expect(stdout).toMatch(new RegExp(`^Usage: npm run bench -- \\[?${name}\\b`))
  }
})

test.each([
  ['src/main.ts', '--halp'],
  ['bench/bench.ts', 'halp'],
  ['bench/bench.ts', '--halp'],
  ['bench/bench.ts', 'fuzz', '--halp'],
])('%s %s is refused with the usage', { timeout }, async (file, ...parameters) => {
  const { code, stdout, stderr } = await runScript(file, parameters, environment)
  expect({ stdout, code }).toEqual({ stdout: '', code: 1 })
  expect(stderr).toMatch(/halp[^]*\nUsage: npm (?:start|run bench)/)
})
