import { inspect } from 'node:util'
import { printable } from 'fastify-contract/json'
import { BrokenContract } from '../model/yaml/findings.ts'
import { Unjudged } from '../suite/ground/fault.ts'
import { print } from './print.ts'
import { UsageError } from './usage-error.ts'

const usage = `Usage: fastify-contract init | generate | types | mock | test | breaking [OPTION …]; for more: fastify-contract COMMAND --help`

// Each loads its modules only when it runs.
const commands = {
  init: () => import('./init-command.ts'),
  generate: () => import('./generate-command.ts'),
  types: () => import('./types-command.ts'),
  mock: () => import('./mock-command.ts'),
  test: () => import('./test/test-command.ts'),
  breaking: () => import('./breaking-command.ts'),
}

function isCommand(name: string): name is keyof typeof commands {
  return Object.hasOwn(commands, name)
}

/**
 * Runs a command and prints its result.
 *
 * @returns its exit code: 1 if the contract is rejected or does not match, 2 if that could not be found out
 */
export async function runCommand([name = '', ...args]: string[]): Promise<number> {
  try {
    const command = isCommand(name) ? await commands[name]() : undefined
    if (name === '--help' || args.includes('--help')) {
      print(command?.usage ?? usage)
      return 0
    }
    if (command === undefined) throw new UsageError(usage)
    return await command.run(args)
  } catch (error) {
    const isBroken = error instanceof BrokenContract
    print(isBroken ? error.all.join('\n') : problemOf(error, name), console.error)
    return isBroken ? 1 : 2
  }
}

/** What keeps a command from finding out. */
function problemOf(error: unknown, command: string): string {
  if (error instanceof UsageError || error instanceof Unjudged) return printable(error.message)
  if (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))
    return printable(`${error.message.replaceAll('\n', ' ')}; see fastify-contract ${command} --help`)
  return `this is a fault of fastify-contract, not of the contract; report it with the contract: ${inspect(error)}`
}
