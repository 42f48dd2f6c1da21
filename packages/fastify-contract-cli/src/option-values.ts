import type { TestedContract } from './suite/contract.ts'
import { type Credentials, credentialsOf } from './suite/credentials.ts'
import { UsageError } from './usage.ts'

/** The credentials of each caller: the first value of each scheme, and the second where there is one. */
export function callersOf(contract: TestedContract, given: readonly string[]): Credentials[] {
  const schemes = contract.document.components?.securitySchemes ?? {}
  const callers: Record<string, string>[] = []
  for (const pair of given) {
    const [name, value] = splitAt('--auth', pair, '=')
    if (!Object.hasOwn(schemes, name)) {
      const known = Object.keys(schemes).join(', ')
      throw new UsageError(`--auth: the contract has no security scheme ${name}; it has ${known || 'none'}`)
    }
    const index = callers.findIndex((caller) => !Object.hasOwn(caller, name))
    const credentials = credentialsOf(contract, name, value)
    if (index === -1) callers.push({ ...callers[0], [name]: credentials })
    else callers[index] = { ...callers[index], [name]: credentials }
  }
  if (callers.length > 2) throw new UsageError('--auth: give at most two values for one scheme')
  return callers
}

/** The name and the value of an option. @throws UsageError */
export function splitAt(option: string, pair: string, separator: string): [string, string] {
  const index = pair.indexOf(separator)
  if (index < 1) throw new UsageError(`${option} must be NAME${separator}VALUE, not ${JSON.stringify(pair)}`)
  return [pair.slice(0, index), pair.slice(index + 1)]
}

/** The number of an option. @throws UsageError */
export function numberOf(
  option: string,
  given: string,
  { min = 0, max, isWhole = true }: { min?: number; max: number; isWhole?: boolean },
): number {
  const number = (isWhole ? /^\d+$/ : /^\d+(?:\.\d+)?$/).test(given) ? Number(given) : NaN
  if (number >= min && number <= max) return number
  const kind = isWhole ? 'an integer' : 'a number'
  throw new UsageError(`${option} must be ${kind} from ${String(min)} to ${String(max)}, not ${JSON.stringify(given)}`)
}
