import { parseArgs } from 'node:util'
import { BrokenContract } from '../../model/yaml/findings.ts'
import { readCheckedContract } from '../../model/read-contract.ts'
import { readSource } from '../../model/yaml/read-file.ts'
import { addressOf, readContract } from '../../suite/ground/contract.ts'
import type { WireRequest } from '../../suite/ground/exchange.ts'
import { test } from '../../suite/run/run.ts'
import { callersOf, numberOf, pathValuesOf, splitAt } from '../option-values.ts'
import { endWithOutput, writeOutput } from '../print.ts'
import { UsageError } from '../usage-error.ts'
import { junitOf } from './junit.ts'
import { printRun } from './print-run.ts'
import { showProgress } from './progress.ts'
import { Secrets } from './secrets.ts'

export const usage = `Usage: fastify-contract test FILE --url URL [OPTION …]

Tests that a server keeps a contract. Prints each operation, what it breaks, and a line of curl that shows it.
The exit code is 0 if the contract is kept and every operation was tested, 1 if it is broken, and 2 if there is no verdict:
bad arguments, server unreachable or not judged, operation not tested, internal error. Operations that --skip names or
that answer 501 need not be tested. Nothing is sent to one whose path or id says shutdown, restart, reset or purge, unless
--only names it.

  --url URL                  the server, such as http://localhost:3000; a path replaces the contract's base path
  --auth SCHEME=CREDENTIALS  a token, the value of a key, or user:password for the scheme basic; repeatable. A second
                             value for one scheme is another caller, who does not see what the first creates.
                             Lines of curl name a shell variable in its place
  --header 'NAME: VALUE', --query NAME=VALUE, --cookie NAME=VALUE
                             what each request has too; repeatable
  --path NAME=VALUE          the value of a path parameter, in each request that has it; repeatable
  --only OPERATION           one operation, by its id or as 'POST /pet'
  --skip OPERATION           sends nothing to this operation; repeatable
  --seed N                   the same run again
  --seconds N                the time for everything (default: 60)
  --coverage                 also fail if a declared response, header or media type was never seen
  --strict-stages            also fail if a request is refused with another status than the expected one
  --junit FILE               also write a report in JUnit's XML`

const text = { type: 'string' } as const
const none: string[] = []
const several = { type: 'string', multiple: true, default: none } as const
const flag = { type: 'boolean', default: false } as const
const seconds = { type: 'string', default: '60' } as const
const places = { url: text, seed: text, only: text, junit: text, seconds } as const
const additions = { auth: several, header: several, query: several, cookie: several, path: several } as const
const options = { ...places, ...additions, skip: several, coverage: flag, 'strict-stages': flag } as const

/** Tests a server. @returns the exit code: 2 also for what keeps the server from being judged */
export async function run(args: string[]): Promise<0 | 1 | 2> {
  // Nobody looks any more.
  endWithOutput(2)
  try {
    return await judge(args)
  } catch (error) {
    if (!(error instanceof BrokenContract)) throw error
    for (const line of error.all) console.error(line)
    return 2
  } finally {
    showProgress('')
  }
}

/** @returns the exit code */
async function judge(args: string[]): Promise<0 | 1 | 2> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const [file, ...others] = positionals
  if (file === undefined || others.length > 0 || values.url === undefined) {
    throw new UsageError('give one contract and --url; see fastify-contract test --help')
  }
  const { url, junit, coverage: isCovered } = values
  const chosen = optionsOf(values)
  const { document } = await readCheckedContract(readSource(file, file), file)
  const contract = readContract(document)
  const given = { ...chosen, pathValues: pathValuesOf(contract, values.path) }
  const callers = callersOf(contract, values.auth)
  const [auth = {}, otherAuth] = callers
  const secrets = new Secrets(contract, callers, given)
  const testRun = test(contract, { url, auth, otherAuth, ...given })
  const urlOf = (request: WireRequest) => addressOf(contract, url, request)
  const { results, gaps, exitCode } = await printRun(testRun, { urlOf, secrets, isCovered })
  if (junit !== undefined) await writeOutput('--junit', junit, junitOf(results, isCovered ? gaps : []))
  return exitCode
}

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values']

/** @throws UsageError */
function optionsOf({ header, query, cookie, only, skip, seed, seconds: time, 'strict-stages': isStrict }: Values) {
  const headers = header.map((pair) => splitAt('--header', pair, ':'))
  return {
    headers: Object.fromEntries(headers.map(([name, value]) => [name, value.trim()])),
    query: query.map((pair) => splitAt('--query', pair, '=')),
    cookies: cookie.map((pair) => splitAt('--cookie', pair, '=')),
    only,
    skip,
    seed: seed === undefined ? undefined : numberOf('--seed', seed, { max: 2 ** 31 }),
    seconds: numberOf('--seconds', time, { min: 1, max: 86_400 }),
    isStrict,
  }
}
