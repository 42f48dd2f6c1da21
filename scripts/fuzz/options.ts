import { parseArgs } from 'node:util'

export const usage = `Usage: npm run fuzz -- [--requests N] [--seed N] [--first N] [--rate-limit N]
         attacks a server over N connections, 100000 unless told; with a RATE_LIMIT where one is given
         the same seed and number do the same: --seed S --first NUMBER --requests 1 repeats one connection
       npm run fuzz -- --readers SECONDS [--seed N]
         has the readers of JSON and of integers read for so long, and compares them with others`

export interface Options {
  requests: number
  seed: number
  first: number
  /** The server's RATE_LIMIT; undefined when there is none. */
  rateLimit: number | undefined
  /** For how many seconds the readers are fuzzed; undefined when a server is. */
  readers: number | undefined
}

/** Reads the arguments of the command. @returns undefined where they are not as `usage` has them */
export function readOptions(args: string[]): Options | undefined {
  const number = { type: 'string' } as const
  const { values } = parseArgs({
    args,
    options: { requests: number, seed: number, first: number, 'rate-limit': number, readers: number },
  })
  const given = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)]))
  if (!Object.values(given).every((value) => Number.isSafeInteger(value) && value >= 0)) return undefined
  return {
    requests: given['requests'] ?? 100_000,
    seed: given['seed'] ?? Math.floor(Math.random() * 2 ** 31),
    first: given['first'] ?? 0,
    rateLimit: given['rate-limit'],
    readers: given['readers'],
  }
}
