import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/server/start-app.ts'
import { projectFolder, runScript } from '../support/server/start-process.ts'

const { scripts } = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}

/** The commands of the project itself, with the file of each. The others are those of tools. */
const commands = Object.entries(scripts).flatMap(([name, command]) => {
  const [, file] = /\bnode .*?((?:scripts|bench|proofs|src)\/\S+\.ts)$/.exec(command) ?? []
  return file === undefined ? [] : [[name === 'start' ? 'npm start' : `npm run ${name}`, file] as const]
})

/** If a command does too much, it writes nothing that stays. */
const environment = { PORT: '0', DATABASE_URL: 'sqlite::memory:', NODE_NO_WARNINGS: '1' }

test.each(commands)('%s -- --help prints the usage and does nothing else', async (name, file) => {
  const { code, stdout, stderr } = await runScript(file, ['--help'], environment)
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
  expect(stdout).toMatch(new RegExp(`^Usage: ${name}\\b[^]+\n$`))
})

test.each([
  ['bench', ['compare', 'starve']],
  ['proofs', ['pgbouncer', 'citus']],
])('each command of npm run %s prints its usage', async (script, some) => {
  const file = `${script}/${script}.ts`
  const { stdout: listed } = await runScript(file, ['--help'])
  const names = [...listed.matchAll(/^ {2}(\S+) +\S/gm)].map(([, name = '']) => name)
  expect(names).toEqual(expect.arrayContaining(some))
  for (const name of names) {
    const { code, stdout, stderr } = await runScript(file, [name, '--help'])
    expect({ name, stderr, code }).toEqual({ name, stderr: '', code: 0 })
    expect(stdout).toMatch(new RegExp(`^Usage: npm run ${script} -- \\[?${name}\\b`))
  }
})

test.each([
  ['proxies', 'without nginx', {}, 'nginx is not in PATH: install it first'],
  [
    'pgbouncer',
    'with an old PgBouncer',
    { pgbouncer: 'echo PgBouncer 1.18.0' },
    'the pgbouncer in PATH is 1.18.0: install 1.21 or newer',
  ],
  [
    'citus',
    'without Citus',
    { pg_config: 'echo /a/bin; echo /a/share' },
    'has no Citus: install it, see https://docs.citusdata.com',
  ],
])(
  'the proof %s %s says what to install, and exits with 2',
  async (name, _lack, programs: Record<string, string>, message) => {
    const folder = await temporaryFolder()
    for (const [program, script] of Object.entries({ ...programs, env: 'exec /usr/bin/env "$@"' }))
      writeFileSync(join(folder, program), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    const { code, stderr } = await runScript('proofs/proofs.ts', [name], { ...environment, PATH: folder })
    expect(stderr).toMatch(message)
    expect(code).toBe(2)
  },
)

test.each([
  ['src/main.ts', '--halp'],
  ['bench/bench.ts', '--halp'],
  ['proofs/proofs.ts', 'halp'],
  ['proofs/proofs.ts', 'fuzz', '--halp'],
])('%s %s is refused with the usage', async (file, ...parameters) => {
  const { code, stdout, stderr } = await runScript(file, parameters, environment)
  expect({ stdout, code }).toEqual({ stdout: '', code: 1 })
  expect(stderr).toMatch(/halp[^]*\nUsage: npm (?:start|run (?:bench|proofs))/)
})
