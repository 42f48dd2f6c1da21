import { answersIn, faultIn } from './answers.ts'
import { type Attack, areInOrder, drawAttack } from './attack.ts'
import { createRandom } from '../random.ts'
import { goodRequests } from './requests.ts'
import { sendAttack } from './send-attack.ts'

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
  for (const { status } of answersIn(received).answers) statuses[status] = (statuses[status] ?? 0) + 1
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
