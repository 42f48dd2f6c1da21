#!/usr/bin/env node
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { printable } from 'fastify-contract/json'
import { checkBreaking } from './breaking/breaking.ts'
import { generate } from './generate/generate.ts'

const usages = {
  generate: `Usage: fastify-contract generate [--check | --scaffold] [OPTION …]

Checks a contract and writes the generated files: types, client, error numbers, and the contract in one file.
If the contract is rejected, prints each place, problem and remedy, and writes nothing.

  --check           write nothing; fail and list the generated files that do not match the contract
  --scaffold        also write a stub for each operation without a handler
  --contract FILE   the contract (default: openapi.yaml)
  --out FOLDER      the folder of the generated files (default: generated)
  --handlers FILE   the table of handlers, beside contract.ts and context.ts (default: src/handlers.ts)
  --reserve PATH    a path of the service outside the contract, such as /livez; repeatable`,
  breaking: `Usage: fastify-contract breaking [VERSION | FILE] [OPTION …]

Compares a contract with a released one. Fails if a change breaks clients without a new major version.

  VERSION           a release, such as 1.0.0 (default: the newest)
  FILE              another contract
  --contract FILE   the contract (default: openapi.yaml)
  --releases FOLDER the folder of openapi-X.Y.Z.yaml, one for each release (default: docs/releases)`,
}
const usage = `Usage: fastify-contract generate | breaking [OPTION …]; for more: fastify-contract COMMAND --help`

/** The arguments are not valid. */
class UsageError extends Error {}

interface Result {
  ok: boolean
  lines: string[]
}

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const several = { type: 'string', multiple: true } as const

async function runGenerate(args: string[]): Promise<Result> {
  const options = {
    check: flag,
    scaffold: flag,
    contract: text,
    out: text,
    handlers: text,
    reserve: several,
  }
  const { values } = readArguments('generate', { args, options })
  const { check = false, scaffold = false } = values
  if (check && scaffold) throw new UsageError('use either --check or --scaffold')
  const project = {
    root: process.cwd(),
    contract: values.contract ?? 'openapi.yaml',
    out: values.out ?? 'generated',
    handlers: values.handlers ?? 'src/handlers.ts',
    reserved: values.reserve ?? [],
  }
  return generate(project, check ? 'check' : scaffold ? 'scaffold' : 'write')
}

async function runBreaking(args: string[]): Promise<Result> {
  const options = { contract: text, releases: text }
  const { values, positionals } = readArguments('breaking', { args, options, allowPositionals: true })
  if (positionals.length > 1) throw new UsageError(`give one contract to compare with, not ${positionals.join(', ')}`)
  const { contract = 'openapi.yaml', releases: folder = 'docs/releases' } = values
  return checkBreaking({ root: process.cwd(), contract, folder }, positionals[0])
}

/** @throws UsageError if the arguments do not match, or repeat a single option */
function readArguments<Config extends ParseArgsConfig>(command: keyof typeof usages, config: Config) {
  try {
    const { tokens = [], ...parsed } = parseArgs({ ...config, tokens: true })
    const names = tokens.flatMap((token) => (token.kind === 'option' ? token.name : []))
    const twice = names.find((name, index) => names.indexOf(name) < index && config.options?.[name]?.multiple !== true)
    // Node would use the last.
    if (twice !== undefined) throw new Error(`--${twice} is given twice`)
    return parsed
  } catch (error) {
    throw new UsageError(
      `${error instanceof Error ? error.message : String(error)}; see fastify-contract ${command} --help`,
      { cause: error },
    )
  }
}

async function run([command, ...args]: string[]): Promise<Result> {
  const isCommand = command === 'generate' || command === 'breaking'
  if (command === '--help' || args.includes('--help')) return { ok: true, lines: [isCommand ? usages[command] : usage] }
  if (!isCommand) throw new UsageError(usage)
  return command === 'generate' ? runGenerate(args) : runBreaking(args)
}

try {
  const { ok, lines } = await run(process.argv.slice(2))
  for (const line of lines) (ok ? console.log : console.error)(line)
  process.exitCode = ok ? 0 : 1
} catch (error) {
  const isUsage = error instanceof UsageError
  console.error(isUsage ? printable(error.message) : error)
  process.exitCode = isUsage ? 2 : 1
}
