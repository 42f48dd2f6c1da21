import { inspect, parseArgs } from 'node:util'
import { printable } from 'fastify-contract/json'
import type { CommandResult } from '../model/yaml/findings.ts'
import { UsageError, usageProblem } from './usage.ts'

const usages = {
  init: `Usage: fastify-contract init FILE FOLDER

Makes a service of a contract: its generated files, a handler for each operation that answers 501, a verifier for each
security scheme, and a test.

  FILE              the contract
  FOLDER            a new or an empty folder`,
  generate: `Usage: fastify-contract generate [OPTION …]

Checks a contract and writes the generated files: the contract and its types.
If the contract is rejected, prints each place, problem and remedy, and writes nothing.

  --contract FILE   the contract (default: openapi.yaml)
  --out FOLDER      the folder of the generated files (default: generated)
  --root FOLDER     the folder of all files of the contract (default: the folder of the contract)
  --check           write nothing; fail and list the generated files that do not match the contract
  --strict          reject what it would otherwise warn of`,
  breaking: `Usage: fastify-contract breaking [VERSION | FILE] [OPTION …]

Compares a contract with a released one. Fails if a change breaks clients without a new major version.

  VERSION           a release, such as 1.0.0 (default: the newest)
  FILE              another contract
  --all             also list the editorial changes
  --contract FILE   the contract (default: openapi.yaml)
  --releases FOLDER the folder of openapi-X.Y.Z.yaml, one for each release (default: docs/releases)`,
}
const usage = `Usage: fastify-contract init | generate | types | mock | test | breaking [OPTION …]; for more: fastify-contract COMMAND --help`

const flag = { type: 'boolean', default: false } as const
const text = (value: string) => ({ type: 'string', default: value }) as const
const contract = text('openapi.yaml')

async function runGenerate(args: string[]): Promise<CommandResult> {
  const options = { contract, out: text('generated'), root: { type: 'string' }, check: flag, strict: flag } as const
  const { check, root: filesRoot, ...project } = parseArgs({ args, options }).values
  const { generate } = await import('../generate/generate.ts')
  return generate({ root: process.cwd(), ...project, ...(filesRoot === undefined ? {} : { filesRoot }) }, { check })
}

async function runBreaking(args: string[]): Promise<CommandResult> {
  const options = { all: flag, contract, releases: text('docs/releases') }
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  if (positionals.length > 1) throw new UsageError(`give one contract to compare with, not ${positionals.join(', ')}`)
  const { checkBreaking } = await import('../breaking/breaking.ts')
  return checkBreaking(
    { root: process.cwd(), contract: values.contract, folder: values.releases },
    positionals[0],
    values.all,
  )
}

async function runInit(args: string[]): Promise<CommandResult> {
  const { positionals } = parseArgs({ args, allowPositionals: true })
  const [file, folder, ...others] = positionals
  if (file === undefined || folder === undefined || others.length > 0) throw new UsageError('give a FILE and a FOLDER')
  const { init } = await import('../init/init.ts')
  return init(process.cwd(), file, folder)
}

// Each loads its modules only when it runs.
const commands = { init: runInit, generate: runGenerate, breaking: runBreaking }

function isCommand(command = ''): command is keyof typeof commands {
  return Object.hasOwn(commands, command)
}

async function run([command, ...args]: string[]): Promise<CommandResult> {
  const isKnown = isCommand(command)
  if (command === '--help' || args.includes('--help')) return { ok: true, lines: [isKnown ? usages[command] : usage] }
  if (!isKnown) throw new UsageError(usage)
  return commands[command](args)
}

/** What a contract or a file name contains does not control the terminal. */
function print(write: (line: string) => void, text: string): void {
  for (const line of text.split('\n')) write(printable(line))
}

/**
 * Runs a command and prints its result.
 *
 * @returns its exit code: 1 if the contract is rejected or does not match, 2 if that could not be found out
 */
export async function runCommand(args: string[]): Promise<number> {
  try {
    if (args[0] === 'test') return await (await import('./test/test-command.ts')).runTest(args.slice(1))
    if (args[0] === 'mock') return await (await import('./mock-command.ts')).runMock(args.slice(1))
    if (args[0] === 'types') return await (await import('./types-command.ts')).runTypes(args.slice(1))
    const { ok, lines } = await run(args)
    print(ok ? console.log : console.error, lines.join('\n'))
    return ok ? 0 : 1
  } catch (error) {
    const problem = usageProblem(error, String(args[0]))
    const fault = 'this is a fault of fastify-contract, not of the contract; report it with the contract:'
    print(console.error, problem ?? `${fault} ${inspect(error)}`)
    return 2
  }
}
