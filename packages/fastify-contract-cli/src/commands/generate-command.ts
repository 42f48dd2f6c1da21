import { parseArgs } from 'node:util'
import { printResult } from './print.ts'

export const usage = `Usage: fastify-contract generate [OPTION …]

Checks a contract and writes the generated files: the contract and its types.
If the contract is rejected, prints each place, problem and remedy, and writes nothing.

  --contract FILE   the contract (default: openapi.yaml)
  --out FOLDER      the folder of the generated files (default: generated)
  --root FOLDER     the folder of all files of the contract (default: the folder of the contract)
  --check           write nothing; fail and list the generated files that do not match the contract
  --strict          reject what it would otherwise warn of`

const options = {
  contract: { type: 'string', default: 'openapi.yaml' },
  out: { type: 'string', default: 'generated' },
  root: { type: 'string' },
  check: { type: 'boolean', default: false },
  strict: { type: 'boolean', default: false },
} as const

/** Generates the files of a contract. @returns the exit code */
export async function run(args: string[]): Promise<number> {
  const { check, root: filesRoot, ...project } = parseArgs({ args, options }).values
  const { generate } = await import('../generate/generate.ts')
  const root = process.cwd()
  return printResult(await generate({ root, ...project, ...(filesRoot === undefined ? {} : { filesRoot }) }, { check }))
}
