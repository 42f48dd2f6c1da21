import { setTimeout as delay } from 'node:timers/promises'
import { startLoadedServer } from '../servers/loaded-server.ts'
import { type Step, createSteps } from './steps.ts'

/** What was seen in one minute. */
export interface SoakMinute {
  minute: number
  requests: number
  /** Milliseconds until an answer was there whole. */
  p50: number
  p99: number
  /** Resident memory of the server at the end of the minute, in mebibytes. */
  memory: number
  /** Answers that were not as expected, and failed connections, by what was seen. */
  errors: Record<string, number>
}

export interface SoakFigures {
  date: string
  node: string
  clients: number
  minutes: SoakMinute[]
}

/** How many answers of a minute were not as expected, together with the connections that failed. */
export function errorsOf({ errors }: SoakMinute): number {
  return Object.values(errors).reduce((sum, count) => sum + count, 0)
}

const clients = 32

/** How long a client waits between two requests. */
const pauseMilliseconds = 20

const minuteMilliseconds = 60_000

/**
 * Loads the real server with a mix of good and bad requests, which leave as many plants as they found.
 *
 * @param tell told how it goes each minute
 */
export async function soak(minutes: number, tell: (line: string) => void): Promise<SoakFigures> {
  const server = await startLoadedServer(1_000)
  const origin = `http://127.0.0.1:${String(server.port)}`
  const seen: SoakMinute[] = []
  let waits: number[] = []
  let errors: Record<string, number> = {}
  let isOver = false

  async function send({ method, path, body, status }: Step): Promise<void> {
    const start = performance.now()
    try {
      const response = await fetch(origin + path, {
        method,
        headers: {
          authorization: `Bearer ${server.token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body }),
      })
      await response.arrayBuffer()
      waits.push(performance.now() - start)
      if (response.status !== status)
        count(`${method} ${path}: ${String(response.status)} instead of ${String(status)}`)
    } catch (error) {
      count(`${method} ${path}: ${String(error)}`)
    }
  }

  function count(problem: string): void {
    errors[problem] = (errors[problem] ?? 0) + 1
  }

  async function run(client: number): Promise<void> {
    for (let id = client; ; id += clients) {
      for (const step of createSteps(id)) {
        if (isOver) return
        await send(step)
        await delay(pauseMilliseconds)
      }
    }
  }

  try {
    const running = Array.from({ length: clients }, (_, client) => run(client))
    for (let minute = 1; minute <= minutes; minute++) {
      tell(`minute ${String(minute)} of ${String(minutes)}${describe(seen.at(-1))}`)
      await delay(minuteMilliseconds)
      const sorted = waits.sort((a, b) => a - b)
      seen.push({
        minute,
        requests: sorted.length,
        p50: quantile(sorted, 0.5),
        p99: quantile(sorted, 0.99),
        memory: rounded(server.memory().resident / 2 ** 20),
        errors,
      })
      waits = []
      errors = {}
    }
    isOver = true
    await Promise.all(running)
  } finally {
    await server.stop()
  }
  return { date: new Date().toISOString().slice(0, 10), node: process.version, clients, minutes: seen }
}

function describe(last: SoakMinute | undefined): string {
  if (last === undefined) return ''
  return `; the last one: ${String(last.requests)} requests, p50 ${String(last.p50)} ms, p99 ${String(last.p99)} ms, ${String(last.memory)} MiB, ${String(Object.keys(last.errors).length)} kinds of error`
}

function quantile(sorted: number[], share: number): number {
  return rounded(sorted[Math.floor(sorted.length * share)] ?? NaN)
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}
