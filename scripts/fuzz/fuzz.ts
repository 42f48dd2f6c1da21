import { createRandom, goodRequests, mutate } from './mutate.ts'
import { sendBytes } from './send-bytes.ts'

export interface FuzzOptions {
  port: number
  token: string
  /** Together with a request's number it decides what is sent. */
  seed: number
  /** The number of the first request. */
  first: number
  count: number
  /** Told after each request how many there have been. */
  onSent?: (sent: number) => void
}

export interface FuzzResult {
  /** How many answers had each status. */
  statuses: Record<string, number>
  /** What must not be: which request it was, and what was answered. */
  findings: { number: number; problem: string }[]
}

const parallel = 64

/** Sends requests that were good before some of their bytes were changed, each on a connection of its own. */
export async function fuzz({ port, token, seed, first, count, onSent }: FuzzOptions): Promise<FuzzResult> {
  const corpus = goodRequests(token)
  const result: FuzzResult = { statuses: {}, findings: [] }
  let next = first
  let sent = 0

  async function run(): Promise<void> {
    while (next < first + count) {
      const number = next++
      const received = await sendBytes(port, mutate(corpus, createRandom(Math.imul(seed, 0x9e3779b1) + number)))
      for (const [line] of received.matchAll(/^HTTP\/1\.1 \d{3}/gm)) {
        const status = line.slice(-3)
        result.statuses[status] = (result.statuses[status] ?? 0) + 1
      }
      const problem = problemOf(received)
      if (problem !== undefined) result.findings.push({ number, problem })
      onSent?.(++sent)
    }
  }

  await Promise.all(Array.from({ length: parallel }, run))
  return result
}

/** No answer is a 5xx, but for 503 where the machine is too busy to answer in time, and a failure is the contract's Error. */
function problemOf(received: string): string | undefined {
  const [, status, body = ''] = /^HTTP\/1\.1 ([45]\d\d) [^]*?\r\n\r\n([^]*)$/.exec(received) ?? []
  if (/^HTTP\/1\.1 5(?!03)/m.test(received)) return received.slice(0, 500)
  // A second answer may follow, and one to HEAD has no body.
  if (status === undefined || body === '' || body.startsWith('HTTP/1.1 ')) return undefined
  return new RegExp(`^\\{"error":${status}\\d\\d,"message":"`).test(body) ? undefined : received.slice(0, 500)
}
