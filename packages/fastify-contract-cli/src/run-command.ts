import { parseArgs } from 'node:util'
import { printable } from 'fastify-contract/json'
import { checkBreaking } from './breaking/breaking.ts'
import type { CommandResult } from './check/findings.ts'
import { generate } from './generate/generate.ts'

const usages = {
  generate: `Usage: fastify-contract generate [--check | --scaffold] [--strict] [OPTION …]

Checks a contract and writes the generated files: types, client, error numbers, and the contract in one file.
If the contract is rejected, prints each place, problem and remedy, and writes nothing.

  --check           write nothing; fail and list the generated files that do not match the contract
  --strict          refuse what is otherwise ignored or mended with a warning
  --scaffold        also write a stub for each operation without a handler
  --contract FILE   the contract (default: openapi.yaml)
  --out FOLDER      the folder of the generated files (default: generated)
  --handlers FILE   the table of handlers, beside contract.ts and context.ts (default: src/handlers.ts)
  --reserve PATH    a path of the service outside the contract, such as /livez; repeatable`,
  breaking: `Usage: fastify-contract breaking [VERSION | FILE] [OPTION …]

Compares a contract with a released one. Fails if a change breaks clients without a new major version.

  VERSION           a release, such as 1.0.0 (default: the newest)
  FILE              another contract
  --all             also list the editorial changes
  --contract FILE   the contract (default: openapi.yaml)
  --releases FOLDER the folder of openapi-X.Y.Z.yaml, one for each release (default: docs/releases)`,
}
const usage = `Usage: fastify-contract generate | breaking [OPTION …]; for more: fastify-contract COMMAND --help`

/** The arguments are not valid. */
class UsageError extends Error {}

const flag = { type: 'boolean', default: false } as const
const several = { type: 'string', multiple: true } as const
const text = (value: string) => ({ type: 'string', default: value }) as const
const contract = text('openapi.yaml')

async function runGenerate(args: string[]): Promise<CommandResult> {
  const places = { contract, out: text('generated'), handlers: text('src/handlers.ts'), reserve: several }
  const { values } = parseArgs({ args, options: { check: flag, scaffold: flag, strict: flag, ...places } })
  const { check, scaffold, reserve: reserved = [], ...project } = values
  if (check && scaffold) throw new UsageError('use either --check or --scaffold')
  return generate({ root: process.cwd(), reserved, ...project }, check ? 'check' : scaffold ? 'scaffold' : 'write')
}

async function runBreaking(args: string[]): Promise<CommandResult> {
  const options = { all: flag, contract, releases: text('docs/releases') }
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  if (positionals.length > 1) throw new UsageError(`give one contract to compare with, not ${positionals.join(', ')}`)
  return checkBreaking(
    { root: process.cwd(), contract: values.contract, folder: values.releases },
    positionals[0],
    values.all,
  )
}

async function run([command, ...args]: string[]): Promise<CommandResult> {
  const isCommand = command === 'generate' || command === 'breaking'
  if (command === '--help' || args.includes('--help')) return { ok: true, lines: [isCommand ? usages[command] : usage] }
  if (!isCommand) throw new UsageError(usage)
  return command === 'generate' ? runGenerate(args) : runBreaking(args)
}

/**
 * Runs a command and prints its result.
 *
 * @returns its exit code: 1 if the contract is rejected or does not match, 2 if that could not be found out
 */
export async function runCommand(args: string[]): Promise<number> {
  try {
    const { ok, lines } = await run(args)
    for (const line of lines) (ok ? console.log : console.error)(line)
    return ok ? 0 : 1
  } catch (error) {
    const problem = usageProblem(error, args)
    if (problem !== undefined) console.error(problem)
    else console.error('this is a fault of fastify-contract, not of the contract; report it with the contract:', error)
    return 2
  }
}

/** The line for invalid arguments; undefined for another error, which is a fault of the command itself. */
function usageProblem(error: unknown, args: string[]): string | undefined {
  if (error instanceof UsageError) return printable(error.message)
  const isParsing = error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  return isParsing ? printable(`${error.message}; see fastify-contract ${String(args[0])} --help`) : undefined
}
