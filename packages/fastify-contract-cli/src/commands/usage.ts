import { printable } from 'fastify-contract/json'

/** A command cannot do what its arguments ask for. The message says why, and what to do. */
export class UsageError extends Error {}

/** The line for arguments that are not valid; undefined for another error. */
export function usageProblem(error: unknown, command: string): string | undefined {
  if (error instanceof UsageError) return printable(error.message)
  const isParsing = error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  return isParsing
    ? printable(`${error.message.replaceAll('\n', ' ')}; see fastify-contract ${command} --help`)
    : undefined
}
