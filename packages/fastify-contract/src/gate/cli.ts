#!/usr/bin/env node
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { printable } from '../json/printable.ts'
import { checkBreaking } from './breaking/breaking.ts'
import { generate } from './generate/generate.ts'

const usages = {
  generate: `Usage: fastify-contract generate [--check | --scaffold] [OPTION …]

Checks a contract, and writes what is generated from it: types, client, error numbers, and the contract in one file.
Where the contract is refused, each reason is printed with its place and a remedy, and nothing is written.

  --check           write nothing; fail and name each generated file that does not match the contract
  --scaffold        also write a handler for each operation that has none
  --contract FILE   the contract; openapi.yaml unless it is given
  --out FOLDER      the folder of the generated files; generated unless it is given
  --handlers FILE   the table of handlers, with contract.ts and context.ts beside it; src/handlers.ts unless it is given
  --reserve PATH    a path that the service answers beside the contract, such as /livez; may be given several times`,
  breaking: `Usage: fastify-contract breaking [VERSION | FILE] [OPTION …]

Compares a contract with one that clients know, and fails where a change breaks them and the major version is the same.

  VERSION           a release, such as 1.0.0; the newest unless it is given
  FILE              a contract
  --contract FILE   the contract; openapi.yaml unless it is given
  --releases FOLDER where FOLDER/openapi-X.Y.Z.yaml is the contract of each release; docs/releases unless it is given`,
}
const usage = `Usage: fastify-contract generate | breaking [OPTION …]; --help after either says more`

/** What cannot be carried out as it was given. */
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
  if (check && scaffold) throw new UsageError('--check writes nothing, and --scaffold writes handlers')
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
  if (positionals.length > 1)
    throw new UsageError(`there is one contract to compare with, not ${positionals.join(', ')}`)
  const { contract = 'openapi.yaml', releases: folder = 'docs/releases' } = values
  return checkBreaking({ root: process.cwd(), contract, folder }, positionals[0])
}

/** @throws UsageError when the arguments do not match, or give an option twice that is one value */
function readArguments<Config extends ParseArgsConfig>(command: keyof typeof usages, config: Config) {
  try {
    const { tokens = [], ...parsed } = parseArgs({ ...config, tokens: true })
    const names = tokens.flatMap((token) => (token.kind === 'option' ? token.name : []))
    const twice = names.find((name, index) => names.indexOf(name) < index && config.options?.[name]?.multiple !== true)
    // Node takes the last one.
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
