import { parseArgs } from 'node:util'
import { printResult } from './print.ts'
import { UsageError } from './usage-error.ts'

export const usage = `Usage: fastify-contract init FILE FOLDER

Makes a service of a contract: its generated files, a handler for each operation that answers 501, a verifier for each
security scheme, and a test.

  FILE              the contract
  FOLDER            a new or an empty folder`

/** Makes a service. @returns the exit code */
export async function run(args: string[]): Promise<number> {
  const { positionals } = parseArgs({ args, allowPositionals: true })
  const [file, folder, ...others] = positionals
  if (file === undefined || folder === undefined || others.length > 0) throw new UsageError('give a FILE and a FOLDER')
  const { init } = await import('../init/init.ts')
  return printResult(await init(process.cwd(), file, folder))
}
