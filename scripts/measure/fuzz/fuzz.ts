import { type Attack, areInOrder, drawAttack } from './attack.ts'
import { createRandom } from './random.ts'
import { goodRequests } from './requests.ts'
import { sendAttack } from './send-attack.ts'

export interface FuzzOptions {
  port: number
  token: string
  /** Together with a connection's number it decides what is sent. */
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

/** What must not be. */
export interface Finding {
  /** The number of the first connection that may have caused it. */
  first: number
  /** How many may have caused it. */
  count: number
  /** What was answered, and to what. */
  problem: string
  /** Whether the server is gone. */
  isLast: boolean
}

const parallel = 64

/** What the connection with this number does. */
export function attackOf(token: string, seed: number, number: number): Attack {
  return drawAttack(goodRequests(token), createRandom(Math.imul(seed, 0x9e3779b1) + number))
}

/** Sends each good request once, for which a server loads and opens what it does not have yet. */
export async function warmUp(port: number, token: string): Promise<void> {
  for (const bytes of goodRequests(token))
    await sendAttack(port, { bytes, ending: 'wait', milliseconds: 0, reads: true })
}

/** Opens connections that do what their numbers say. */
export async function fuzz({ port, token, seed, first, count }: FuzzOptions): Promise<FuzzResult> {
  return attackAll(port, count, (index) => attackOf(token, seed, first + index), first)
}

/**
 * Carries out attacks, each on a connection of its own and many of them at once. Where the server takes no connection
 * any
 * more, one of the last attacks has ended it, and that is the last finding.
 *
 * @param first what the number of the first attack is in the findings
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
    result.findings.push({
      first: first + earliest,
      count: index - earliest,
      problem: `one of these has ended the server: ${String(error)}`,
      isLast: true,
    })
  }

  async function run(): Promise<void> {
    while (next < count && !isLost) {
      const index = next++
      const attack = attackAt(index)
      try {
        const received = await sendAttack(port, attack)
        countStatuses(received, result.statuses)
        const problem = problemOf(received)
        if (problem !== undefined)
          result.findings.push({
            first: first + index,
            count: 1,
            problem: `${problem}\nafter ${describe(attack)}`,
            isLast: false,
          })
      } catch (error) {
        lose(index, error)
      }
    }
  }

  await Promise.all(Array.from({ length: parallel }, run))
  try {
    const received = await sendAttack(port, probe)
    if (!received.startsWith('HTTP/1.1 200 ')) lose(count, `GET /livez has the answer ${JSON.stringify(received)}`)
  } catch (error) {
    lose(count, error)
  }
  return result
}

const probe: Attack = {
  bytes: Buffer.from('GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'),
  ending: 'wait',
  milliseconds: 0,
  reads: true,
}

/** Where an answer begins: a body before it need not end with a line break. */
const statusLine = /HTTP\/1\.1 (\d{3}) [A-Za-z -]*\r\n/g

function countStatuses(received: string, statuses: FuzzResult['statuses']): void {
  for (const [, status = ''] of received.matchAll(statusLine)) statuses[status] = (statuses[status] ?? 0) + 1
}

/**
 * No answer is a 5xx, but for 503 where the machine is too busy to answer in time, and a failure is the contract's
 * Error.
 */
function problemOf(received: string): string | undefined {
  const fault = [...received.matchAll(statusLine)].find(([, status = '']) => status.startsWith('5') && status !== '503')
  if (fault !== undefined) return received.slice(fault.index, fault.index + 500)
  if (!areInOrder(received))
    return `answers out of order: ${[...received.matchAll(/^x-request-id: pipeline-\d+/gim)].join()}`
  const [, status, body = ''] = /^HTTP\/1\.1 ([45]\d\d) [^]*?\r\n\r\n([^]*)$/.exec(received) ?? []
  // A second answer may follow, and one to HEAD has no body.
  if (status === undefined || body === '' || body.startsWith('HTTP/1.1 ')) return undefined
  return new RegExp(`^\\{"error":${status}\\d\\d,"message":"`).test(body) ? undefined : received.slice(0, 500)
}

function describe({ bytes, ending, milliseconds, reads }: Attack): string {
  return `${String(bytes.length)} bytes, ${ending} ${String(milliseconds)} ms, ${reads ? 'read' : 'unread'}: ${JSON.stringify(bytes.toString('latin1', 0, 300))}`
}
