import { securitySchemesOf } from 'fastify-contract/security'
import type { TestedContract } from '../suite/ground/contract.ts'
import { credentialsOf } from '../suite/write/credentials.ts'
import type { Credentials } from '../suite/ground/contract-request.ts'
import { UsageError } from './usage-error.ts'

/** The credentials of each caller: the first value of each scheme, and the second where there is one. */
export function callersOf(contract: TestedContract, given: readonly string[]): Credentials[] {
  const schemes = securitySchemesOf(contract.document)
  const callers: Record<string, string>[] = []
  for (const pair of given) {
    const [name, value] = splitAt('--auth', pair, '=')
    // A token alone may end in =.
    if (/^=?$/.test(value)) throw new UsageError('--auth must be SCHEME=CREDENTIALS')
    if (!schemes.has(name)) {
      const names = [...schemes.keys()].join(', ')
      throw new UsageError(`--auth: the contract has no security scheme ${name}; it has ${names || 'none'}`)
    }
    const index = callers.findIndex((caller) => !Object.hasOwn(caller, name))
    const credentials = credentialsOf(contract, name, value)
    if (index === -1) callers.push({ ...callers[0], [name]: credentials })
    else callers[index] = { ...callers[index], [name]: credentials }
  }
  if (callers.length > 2) throw new UsageError('--auth: give at most two values for one scheme')
  return callers
}

/** The values of path parameters. @throws UsageError for the name of none */
export function pathValuesOf({ operations }: TestedContract, given: readonly string[]): [string, string][] {
  const parameters = operations.flatMap((operation) => operation.parameters).filter((each) => each.in === 'path')
  const names = [...new Set(parameters.map(({ name }) => name))]
  return given.map((pair) => {
    const [name, value] = splitAt('--path', pair, '=')
    if (names.includes(name) && value !== '') return [name, value]
    if (value === '') throw new UsageError(`--path: no path has an empty ${name}`)
    throw new UsageError(`--path: the contract has no path parameter ${name}; it has ${names.join(', ') || 'none'}`)
  })
}

/** The name and the value of an option. @throws UsageError */
export function splitAt(option: string, pair: string, separator: string): [string, string] {
  const index = pair.indexOf(separator)
  // It is not quoted: it may be a token.
  if (index < 1) throw new UsageError(`${option} must be NAME${separator}VALUE`)
  return [pair.slice(0, index), pair.slice(index + 1)]
}

/** The number of an option. @throws UsageError */
export function numberOf(option: string, given: string, { min = 0, max }: { min?: number; max: number }): number {
  const number = /^\d+$/.test(given) ? Number(given) : NaN
  if (number >= min && number <= max) return number
  const range = `an integer from ${String(min)} to ${String(max)}`
  throw new UsageError(`${option} must be ${range}, not ${JSON.stringify(given)}`)
}
