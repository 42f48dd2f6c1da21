import { parseArgs } from 'node:util'
import { printResult } from './print.ts'
import { UsageError } from './usage-error.ts'

export const usage = `Usage: fastify-contract breaking [VERSION | FILE] [OPTION …]

Compares a contract with a released one. Fails if a change breaks clients without a new major version.

  VERSION           a release, such as 1.0.0 (default: the newest)
  FILE              another contract
  --all             also list the editorial changes
  --contract FILE   the contract (default: openapi.yaml)
  --releases FOLDER the folder of openapi-X.Y.Z.yaml, one for each release (default: docs/releases)`

const options = {
  all: { type: 'boolean', default: false },
  contract: { type: 'string', default: 'openapi.yaml' },
  releases: { type: 'string', default: 'docs/releases' },
} as const

/** Compares a contract with a release. @returns the exit code */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  if (positionals.length > 1) throw new UsageError(`give one contract to compare with, not ${positionals.join(', ')}`)
  const { all, contract, releases: folder } = values
  const { checkBreaking } = await import('../breaking/breaking.ts')
  return printResult(await checkBreaking({ root: process.cwd(), contract, folder }, positionals[0], all))
}
