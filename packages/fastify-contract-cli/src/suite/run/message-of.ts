import { canonical } from '../ground/exact-json.ts'
import { shortened } from '../ground/fault.ts'
import { type Members, isObject } from '../ground/members.ts'

/** The message of an error; of one that compares two values, with what differs in them. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (!('actual' in error && 'expected' in error)) return error.message
  if (error.actual === undefined && error.expected === undefined) return error.message
  const [received, expected] = differing(error.actual, error.expected).map(shown)
  const [first = ''] = error.message.split('\n', 1)
  return `${first}: received ${received ?? ''}, expected ${expected ?? ''}`
}

function shown(value: unknown): string {
  return shortened(value === undefined ? 'nothing' : canonical(value), 500)
}

/** Both values; of two objects, the members that differ. */
function differing(actual: unknown, expected: unknown): [unknown, unknown] {
  if (!isObject(actual) || !isObject(expected)) return [actual, expected]
  const names = Object.keys({ ...actual, ...expected })
  const other = names.filter((name) => canonical(actual[name]) !== canonical(expected[name]))
  const only = (side: Members) => Object.fromEntries(other.map((name) => [name, side[name]]))
  return [only(actual), only(expected)]
}
