import { readArguments, readInteger } from '../../scripts/command.ts'
import { startLoadedServer } from '../../test/support/server/lab.ts'
import { memoryOf } from '../../test/support/server/process-figures.ts'
import { watchServer } from '../../test/support/server/watch.ts'
import { type RawResponse, responsesIn } from '../../test/support/client/raw-http.ts'
import { report } from '../../test/support/run-named.ts'
import { createRandom } from '../../test/support/random.ts'
import { type Attack, drawAttack, goodRequests } from './attack.ts'
import { sendAttack } from './send-attack.ts'

const usage = `Usage: npm run proofs -- fuzz [--requests N] [--seed N] [--first N] [--rate-limit N]
         attacks a server over N connections (100000), with a RATE_LIMIT if one is given; the exit code is 1 when a
         response, the server or its memory is faulty
         one connection again: --seed S --first NUMBER --requests 1`

/** A leak is more memory after the last tenth of the connections than this multiple of that after the second. */
const maxGrowth = 1.15

/** Without a limit, V8 delays garbage collection, which looks like a leak. */
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
  const environment = { LOG_LEVEL: 'error', ...(rateLimit !== undefined && { RATE_LIMIT: rateLimit }) }
  await using server = await startLoadedServer(20, environment, [`--max-old-space-size=${String(heapMebibytes)}`])
  const { port, token } = server
  await warmUp(port, token)
  const watch = watchServer(server, bounds)
  const result: FuzzResult = { statuses: {}, faults: [] }
  const resident: number[] = []
  for (let tenth = 0; tenth < 10 && result.faults.length === 0; tenth++) {
    const [from, to] = [tenth, tenth + 1].map((tenths) => first + Math.floor((requests * tenths) / 10))
    await attackAll(port, attacksOf(token, seed, from!, to!), result)
    resident.push(memoryOf(server.pid, 'VmRSS'))
  }
  const { longestMilliseconds, problems } = await watch.end()
  report(`faults of seed ${String(seed)}`, result.faults.join('\n') || 'none', result.faults.length === 0)
  report('responses by status', JSON.stringify(result.statuses))
  const isStable = resident.length < 10 || resident[9]! <= resident[1]! * maxGrowth
  report('memory after each tenth, MiB', resident.map((mebibytes) => mebibytes.toFixed(1)).join(' '), isStable)
  report('the longest GET /livez, ms', longestMilliseconds.toFixed(0))
  report('what the server exceeded', problems.join('\n') || 'nothing', problems.length === 0)
  report('what the server logged', server.stderr().slice(0, 5_000) || 'nothing', server.stderr() === '')
}

export interface FuzzResult {
  /** How many responses had each status. */
  statuses: Record<string, number>
  /** The faults, with the numbers of their connections. */
  faults: string[]
}

const parallel = 64

/** @returns the attacks with these numbers. Seed and number determine an attack. */
export function* attacksOf(token: string, seed: number, from: number, to: number): Generator<[number, Attack]> {
  const corpus = goodRequests(token)
  for (let number = from; number < to; number++)
    yield [number, drawAttack(corpus, createRandom(Math.imul(seed, 0x9e3779b1) + number))]
}

/** Sends each valid request once, so that the server is warm. */
export async function warmUp(port: number, token: string): Promise<void> {
  for (const bytes of goodRequests(token))
    await sendAttack(port, { bytes, ending: 'wait', milliseconds: 0, reads: true })
}

/**
 * Runs attacks concurrently, each on its own connection, until the server accepts no more connections.
 *
 * @param result receives the outcomes
 */
export async function attackAll(
  port: number,
  attacks: IteratorObject<[number, Attack], undefined>,
  { statuses, faults }: FuzzResult,
): Promise<void> {
  async function run(): Promise<void> {
    // All workers iterate one queue, and a worker that leaves it ends it.
    for (const [number, attack] of attacks) {
      try {
        const received = await sendAttack(port, attack)
        for (const { status } of responsesIn(received).responses) statuses[status] = (statuses[status] ?? 0) + 1
        const fault = faultIn(received)
        if (fault !== undefined) faults.push(`connection ${String(number)}: ${fault}\nafter ${describe(attack)}`)
      } catch (error) {
        faults.push(`connection ${String(number)}, or one of the ${String(2 * parallel)} before: ${String(error)}`)
        return
      }
    }
  }
  await Promise.all(Array.from({ length: parallel }, run))
}

function describe({ bytes, ending, milliseconds, reads }: Attack): string {
  const text = JSON.stringify(bytes.toString('latin1', 0, 300))
  return `${String(bytes.length)} bytes, ${ending} ${String(milliseconds)} ms, ${reads ? 'read' : 'unread'}: ${text}`
}

/** The headers of every final response. */
const required = ['x-request-id', 'cache-control', 'x-content-type-options', 'date']

/** Returns how the received bytes break the contract's rules for every response, or undefined. */
export function faultIn(received: string): string | undefined {
  const { responses, rest } = responsesIn(received)
  const fault = responses.map(faultOf).find((each) => each !== undefined)
  if (fault !== undefined) return `${fault}: ${received.slice(0, 500)}`
  const places = responses.flatMap(({ headers }) => headers['x-request-id']?.match(/^pipeline-(\d+)$/)?.[1] ?? [])
  if (places.some((place, index) => index > 0 && Number(places[index - 1]) >= Number(place)))
    return `responses out of order: ${places.join()}`
  const isBeginning = rest.startsWith('HTTP/1.1 ') || 'HTTP/1.1 '.startsWith(rest)
  return isBeginning ? undefined : `bytes that are no response: ${JSON.stringify(rest.slice(0, 100))}`
}

/** No response may be a 5xx, except 503 from a busy machine, and the body of a failure must be the contract's Error. */
function faultOf({ status, headers, text }: RawResponse): string | undefined {
  if (status < 200) return undefined
  if (status >= 500 && status !== 503) return 'a fault of the service'
  const missing = required.find((name) => !(name in headers))
  if (missing !== undefined) return `the header ${missing} is missing`
  if (status < 400) return undefined
  if (headers['content-type'] !== 'application/json') return 'a failure that is not application/json'
  // A response to HEAD has no body.
  if (text === '') return undefined
  const [, number] = /^\{"error":(\d{3})\d{2},"message":"(?:[^"\\]|\\.)+"\}$/.exec(text) ?? []
  return number === String(status) ? undefined : 'a failure whose body is not Error'
}
