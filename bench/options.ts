import { UsageError, readArguments, readInteger } from '../scripts/command.ts'
import { workloads } from './workloads.ts'

/** The options of a run. */
export interface BenchOptions {
  /** The names of the parts; undefined for all except `huge`. */
  only: ReadonlySet<string> | undefined
  huge: boolean
  rounds: number
  /** How long each measurement takes. */
  milliseconds: number
}

/** The parts besides the workloads of all contenders. */
const otherParts = {
  operations: 'list 20 with 1,000 operations in the contract',
  million: 'a list of 1,000,000 plants',
  start: 'from the start to the first answer',
  installs: 'packages and bytes of a production install',
  processes: '1 and 2 server processes on one port, on SQLite and on PostgreSQL',
  huge: '10,000,000 plants in the file; takes a minute and up to 8 GiB of disk',
} as const

export type OtherPart = keyof typeof otherParts

const maxRounds = 20

const titles = [...workloads.map(({ name, title }) => [name, title] as const), ...Object.entries(otherParts)]

const usage = `Usage: npm run bench -- [--only PART]... [--rounds N] [--milliseconds N] [--huge]

  --only PART        measure only this part; may be repeated. Writes nothing to docs/bench/
  --rounds N         how many rounds each part takes, 1 to ${String(maxRounds)} (20)
  --milliseconds N   how long each measurement takes, 50 to 60000 (150)
  --huge             measure 10,000,000 plants too

Parts:
${titles.map(([name, title]) => `  ${name.padEnd(18)} ${title}`).join('\n')}`

/**
 * Reads the command line.
 *
 * @throws UsageError
 */
export function readOptions(args: string[]): BenchOptions {
  const { only, rounds, milliseconds, huge } = readArguments(usage, {
    args,
    options: {
      only: { type: 'string', multiple: true },
      rounds: { type: 'string', default: '20' },
      milliseconds: { type: 'string', default: '150' },
      huge: { type: 'boolean', default: false },
    },
  }).values
  const known = new Set(titles.map(([name]) => name))
  for (const part of only ?? []) if (!known.has(part)) throw new UsageError(`there is no part ${part}\n${usage}`)
  return {
    only: only === undefined ? undefined : new Set(only),
    huge: huge || only?.includes('huge') === true,
    rounds: readInteger(usage, '--rounds', rounds, 1, maxRounds),
    milliseconds: readInteger(usage, '--milliseconds', milliseconds, 50, 60_000),
  }
}
