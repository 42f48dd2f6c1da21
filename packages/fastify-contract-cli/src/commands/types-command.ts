import { basename, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { printable } from 'fastify-contract/json'
import { writePlainTypes } from '../generate/write-types.ts'
import { readOpenApi } from '../model/read-contract.ts'
import { readSource } from '../model/yaml/read-file.ts'
import { endWithOutput, writeOutput } from './print.ts'
import { UsageError } from './usage-error.ts'

export const usage = `Usage: fastify-contract types FILE [OPTION …]

Writes the types of a contract in the form of openapi-typescript, for code that is no service.

  FILE              the contract
  --out FILE        where to write them (default: standard output)`

const options = { out: { type: 'string' } } as const

/**
 * Writes the types of a contract.
 *
 * @returns the exit code
 * @throws BrokenContract, and UsageError for wrong arguments, or a file that cannot be written
 */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const [file, ...others] = positionals
  if (file === undefined || others.length > 0) throw new UsageError('give one FILE; see fastify-contract types --help')
  const path = resolve(file)
  const { pointing } = await readOpenApi(readSource(path, file), path, file)
  const header = `// Generated from ${printable(basename(file))} by fastify-contract. Do not edit.`
  const types = `${header}\n\n${writePlainTypes(pointing)}`
  if (values.out !== undefined) {
    await writeOutput('--out', values.out, types)
    console.log(printable(`wrote ${values.out}`))
    return 0
  }
  // `head` has read enough.
  endWithOutput(0)
  // What a contract contains does not control a terminal.
  process.stdout.write(process.stdout.isTTY ? types.split('\n').map(printable).join('\n') : types)
  return 0
}
