import { readArguments, readInteger } from '../../scripts/command.ts'
import { startLoadedServer } from '../lab/lab.ts'
import { memoryOf } from '../../test/support/server/process-figures.ts'
import { watchServer } from '../../test/support/server/watch.ts'
import { responsesIn } from '../../test/support/client/raw-http.ts'
import { faultIn } from './faults.ts'
import { type Attack, areInOrder, drawAttack } from './attack.ts'
import { createRandom } from '../lab/random.ts'
import { goodRequests } from './requests.ts'
import { sendAttack } from './send-attack.ts'

const usage = `Usage: npm run bench -- fuzz [--requests N] [--seed N] [--first N] [--rate-limit N]
         attacks a server over N connections (100000), with a RATE_LIMIT if one is given; the exit code is 1 when
         something is wrong with an answer, the server or its memory
         one connection again: --seed S --first NUMBER --requests 1`

/** Memory after the last tenth of the connections, as a multiple of that after the second; above it there is a leak. */
const maxGrowth = 1.15

/** Without a limit V8 lets the heap grow for a long time before it collects garbage, which looks like a leak. */
const heapMebibytes = 64

const bounds = { livezMilliseconds: 1_000, growthMebibytes: 256 }

export async function run(args: string[]): Promise<void> {
  const text = { type: 'string' } as const
  const options = { requests: text, seed: text, first: text, 'rate-limit': text }
  const { values } = readArguments(usage, { args, options })
  const read = (name: keyof typeof options, otherwise: number) =>
    readInteger(usage, `--${name}`, values[name] ?? String(otherwise), 0)
  const seed = read('seed', Math.floor(Math.random() * 2 ** 31))
  const [first, requests, rateLimit] = [read('first', 0), read('requests', 100_000), values['rate-limit']]
  console.log(`seed ${String(seed)}`)
  const environment = { LOG_LEVEL: 'error', ...(rateLimit !== undefined && { RATE_LIMIT: rateLimit }) }
  await using server = await startLoadedServer(20, environment, [`--max-old-space-size=${String(heapMebibytes)}`])
  const { port, token } = server
  await warmUp(port, token)
  const watch = watchServer(server, bounds)
  const problems: string[] = []
  const statuses: Record<string, number> = {}
  const resident: number[] = []
  let isLost = false
  for (let tenth = 0; tenth < 10 && !isLost; tenth++) {
    const [from, to] = [Math.floor((requests * tenth) / 10), Math.floor((requests * (tenth + 1)) / 10)]
    const result = await fuzz({ port, token, seed, first: first + from, count: to - from })
    for (const [status, count] of Object.entries(result.statuses)) statuses[status] = (statuses[status] ?? 0) + count
    for (const { first: number, count, problem, isLast } of result.findings) {
      problems.push(`--seed ${String(seed)} --first ${String(number)} --requests ${String(count)}\n${problem}`)
      isLost ||= isLast
    }
    resident.push(memoryOf(server.pid, 'VmRSS'))
  }
  const { longestMilliseconds, problems: others } = await watch.end()
  problems.push(...others)
  if (resident.length === 10 && resident[9]! > resident[1]! * maxGrowth)
    problems.push('memory grew from the second tenth to the last')
  const log = server.stderr()
  if (log !== '') problems.push(`the log has errors:\n${log.slice(0, 5_000)}`)
  console.log('answers by status:', statuses)
  console.log(`memory after each tenth, MiB: ${resident.map((mebibytes) => mebibytes.toFixed(1)).join(' ')}`)
  for (const problem of problems.slice(0, 20)) console.log(`${problem}\n`)
  const longest = longestMilliseconds.toFixed(0)
  console.log(`${String(problems.length)} findings; the longest GET /livez took ${longest} ms`)
  if (problems.length > 0) process.exitCode = 1
}

export interface FuzzOptions {
  port: number
  token: string
  /** The seed and a connection's number decide what it sends. */
  seed: number
  /** The number of the first connection. */
  first: number
  count: number
}

export interface FuzzResult {
  /** How many answers had each status. */
  statuses: Record<string, number>
  findings: Finding[]
}

/** A fault of the server. */
export interface Finding {
  /** The number of the first connection that may have caused it. */
  first: number
  /** How many connections may have caused it. */
  count: number
  /** The request and its answer. */
  problem: string
  /** Whether the server is gone. */
  isLast: boolean
}

const parallel = 64

/** @returns what the connection with this number does */
export function attackOf(token: string, seed: number, number: number): Attack {
  return drawAttack(goodRequests(token), createRandom(Math.imul(seed, 0x9e3779b1) + number))
}

/** Sends each good request once, so that the server has loaded and opened what they need. */
export async function warmUp(port: number, token: string): Promise<void> {
  for (const bytes of goodRequests(token))
    await sendAttack(port, { bytes, ending: 'wait', milliseconds: 0, reads: true })
}

/** Opens connections that do what their numbers say. */
export async function fuzz({ port, token, seed, first, count }: FuzzOptions): Promise<FuzzResult> {
  return attackAll(port, count, (index) => attackOf(token, seed, first + index), first)
}

/**
 * Carries out attacks, each on its own connection, many at once. When the server accepts no more connections, one of
 * the last attacks has ended it; that is the last finding.
 *
 * @param first the number of the first attack in the findings
 */
export async function attackAll(
  port: number,
  count: number,
  attackAt: (index: number) => Attack,
  first = 0,
): Promise<FuzzResult> {
  const result: FuzzResult = { statuses: {}, findings: [] }
  let next = 0
  let isLost = false

  function lose(index: number, error: unknown): void {
    if (isLost) return
    isLost = true
    const earliest = Math.max(0, index - 2 * parallel)
    const problem = `one of these has ended the server: ${String(error)}`
    result.findings.push({ first: first + earliest, count: index - earliest, problem, isLast: true })
  }

  async function run(): Promise<void> {
    while (next < count && !isLost) {
      const index = next++
      const attack = attackAt(index)
      try {
        const received = await sendAttack(port, attack)
        countStatuses(received, result.statuses)
        const fault = faultOf(received)
        if (fault === undefined) continue
        const problem = `${fault}\nafter ${describe(attack)}`
        result.findings.push({ first: first + index, count: 1, problem, isLast: false })
      } catch (error) {
        lose(index, error)
      }
    }
  }

  await Promise.all(Array.from({ length: parallel }, run))
  try {
    const received = await probe(port)
    if (!received.startsWith('HTTP/1.1 200 ')) lose(count, `GET /livez has the answer ${JSON.stringify(received)}`)
  } catch (error) {
    lose(count, error)
  }
  return result
}

/** Asks for /livez, several times if the machine is too busy for an answer. @returns the answer, empty without one */
async function probe(port: number): Promise<string> {
  const bytes = Buffer.from('GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  let received = ''
  for (let tries = 0; received === '' && tries < 10; tries++)
    received = await sendAttack(port, { bytes, ending: 'wait', milliseconds: 0, reads: true })
  return received
}

function countStatuses(received: string, statuses: FuzzResult['statuses']): void {
  for (const { status } of responsesIn(received).responses) statuses[status] = (statuses[status] ?? 0) + 1
}

function faultOf(received: string): string | undefined {
  const fault = faultIn(received)
  if (fault !== undefined) return `${fault}: ${received.slice(0, 500)}`
  if (areInOrder(received)) return undefined
  return `answers out of order: ${[...received.matchAll(/^x-request-id: pipeline-\d+/gim)].join()}`
}

function describe({ bytes, ending, milliseconds, reads }: Attack): string {
  const text = JSON.stringify(bytes.toString('latin1', 0, 300))
  return `${String(bytes.length)} bytes, ${ending} ${String(milliseconds)} ms, ${reads ? 'read' : 'unread'}: ${text}`
}
