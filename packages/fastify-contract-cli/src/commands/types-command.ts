import { mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { printable } from 'fastify-contract/json'
import { BrokenContract } from '../model/yaml/findings.ts'
import { readOpenApi } from '../model/read-contract.ts'
import { readSource } from '../model/yaml/read-file.ts'
import { UsageError } from './usage.ts'
import { writePlainTypes } from '../generate/write-types.ts'

const usage = `Usage: fastify-contract types FILE [OPTION …]

Writes the types of a contract in the form of openapi-typescript, for code that is no service.

  FILE              the contract
  --out FILE        where to write them (default: standard output)`

const options = { out: { type: 'string' } } as const

/**
 * Writes the types of a contract.
 *
 * @returns the exit code: 1 if the contract is rejected
 * @throws UsageError for wrong arguments, or a file that cannot be written
 */
export async function runTypes(args: string[]): Promise<number> {
  if (args.includes('--help')) {
    console.log(usage)
    return 0
  }
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const [file, ...others] = positionals
  if (file === undefined || others.length > 0) throw new UsageError('give one FILE; see fastify-contract types --help')
  try {
    const types = await writtenTypesOf(file)
    if (values.out === undefined) await print(types)
    else await write(values.out, types)
    return 0
  } catch (error) {
    if (!(error instanceof BrokenContract)) throw error
    console.error(error.message)
    return 1
  }
}

async function writtenTypesOf(file: string): Promise<string> {
  const path = resolve(file)
  const { pointing } = await readOpenApi(readSource(path, file), path, file)
  return `// Generated from ${printable(basename(file))} by fastify-contract. Do not edit.\n\n${writePlainTypes(pointing)}`
}

/** Waits until a pipe has taken all of it, or is closed. */
function print(text: string): Promise<void> {
  // What a contract contains does not control a terminal.
  const shown = process.stdout.isTTY ? text.split('\n').map(printable).join('\n') : text
  return new Promise((resolve, reject) => {
    const end = (error?: NodeJS.ErrnoException | null) => {
      // `head` has read enough.
      if (error === undefined || error === null || error.code === 'EPIPE') resolve()
      else reject(error)
    }
    process.stdout.on('error', end)
    process.stdout.write(shown, end)
  })
}

async function write(file: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(resolve(file)), { recursive: true })
    await writeFile(file, text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(`--out: ${file} cannot be written (${reason})`, { cause: error })
  }
  console.log(printable(`wrote ${file}`))
}
