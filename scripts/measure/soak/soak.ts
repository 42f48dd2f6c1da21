import { setTimeout as delay } from 'node:timers/promises'
import { startLoadedServer } from '../servers/loaded-server.ts'

/** One minute's figures. */
export interface SoakMinute {
  minute: number
  requests: number
  /** Milliseconds from the request to the end of the answer. */
  p50: number
  p99: number
  /** Resident memory of the server at the end of the minute, in mebibytes. */
  memory: number
  /** How often each unexpected answer and each failed connection occurred, by its description. */
  errors: Record<string, number>
}

export interface SoakFigures {
  date: string
  node: string
  clients: number
  minutes: SoakMinute[]
}

/** Counts a minute's unexpected answers and failed connections. */
export function errorsOf({ errors }: SoakMinute): number {
  return Object.values(errors).reduce((sum, count) => sum + count, 0)
}

const clients = 32

const pauseMilliseconds = 20

const minuteMilliseconds = 60_000

/** One request, and the status of its answer. */
interface Step {
  method: string
  path: string
  body?: string
  status: number
}

/** Good and bad requests that create a plant and delete it. @param id of a plant that does not exist */
function stepsOf(id: number): Step[] {
  const plant = JSON.stringify({ id, name: 'Aloe vera', tag: 'indoor' })
  const place = `/plants/${String(id)}`
  return [
    { method: 'POST', path: '/plants', body: plant, status: 200 },
    { method: 'GET', path: '/plants?limit=20', status: 200 },
    { method: 'POST', path: '/plants', body: plant, status: 409 },
    { method: 'GET', path: '/plants', status: 200 },
    { method: 'POST', path: '/plants', body: '{"id":1.5,"name":""}', status: 400 },
    { method: 'GET', path: '/plants?limit=1', status: 200 },
    { method: 'GET', path: '/plants?limt=1', status: 400 },
    { method: 'DELETE', path: place, status: 204 },
    { method: 'DELETE', path: place, status: 404 },
    { method: 'POST', path: '/plants', body: '{"id":', status: 400 },
    { method: 'GET', path: '/readyz', status: 200 },
    { method: 'GET', path: '/nothing', status: 404 },
  ]
}

/** Starts clients that send the steps in a loop, and counts what one minute has seen. */
function startClients(port: number, token: string) {
  let waits: number[] = []
  let errors: Record<string, number> = {}
  let isStopped = false

  function countError(problem: string): void {
    errors[problem] = (errors[problem] ?? 0) + 1
  }

  async function send({ method, path, body, status }: Step): Promise<void> {
    const start = performance.now()
    const content = body === undefined ? {} : { 'content-type': 'application/json' }
    const headers = { authorization: `Bearer ${token}`, ...content }
    try {
      const url = `http://127.0.0.1:${String(port)}${path}`
      const response = await fetch(url, { method, headers, body: body ?? null })
      await response.arrayBuffer()
      waits.push(performance.now() - start)
      if (response.status !== status)
        countError(`${method} ${path}: ${String(response.status)} instead of ${String(status)}`)
    } catch (error) {
      countError(`${method} ${path}: ${String(error)}`)
    }
  }

  /** @param client from 0; each client uses ids of its own */
  async function run(client: number): Promise<void> {
    for (let id = client; ; id += clients) {
      for (const step of stepsOf(id)) {
        if (isStopped) return
        await send(step)
        await delay(pauseMilliseconds)
      }
    }
  }

  const running = Array.from({ length: clients }, (_, client) => run(client))
  return {
    /** @returns the figures since the last call */
    takeFigures(): Pick<SoakMinute, 'requests' | 'p50' | 'p99' | 'errors'> {
      const sorted = waits.sort((a, b) => a - b)
      const figures = { requests: sorted.length, p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), errors }
      waits = []
      errors = {}
      return figures
    },
    async stop(): Promise<void> {
      isStopped = true
      await Promise.all(running)
    },
  }
}

/** Loads a server with good and bad requests. @param onProgress called each minute */
export async function soak(minutes: number, onProgress: (line: string) => void): Promise<SoakFigures> {
  const server = await startLoadedServer(1_000)
  const seen: SoakMinute[] = []
  try {
    const load = startClients(server.port, server.token)
    for (let minute = 1; minute <= minutes; minute++) {
      onProgress(`minute ${String(minute)} of ${String(minutes)}${describe(seen.at(-1))}`)
      await delay(minuteMilliseconds)
      seen.push({ minute, ...load.takeFigures(), memory: rounded(server.memory().resident / 2 ** 20) })
    }
    await load.stop()
  } finally {
    await server.stop()
  }
  return { date: new Date().toISOString().slice(0, 10), node: process.version, clients, minutes: seen }
}

function describe(last: SoakMinute | undefined): string {
  if (last === undefined) return ''
  const { requests, p50, p99, memory } = last
  const waits = `p50 ${String(p50)} ms, p99 ${String(p99)} ms`
  const errors = `${String(errorsOf(last))} errors`
  return `; the last one: ${String(requests)} requests, ${waits}, ${String(memory)} MiB, ${errors}`
}

function quantile(sorted: number[], share: number): number {
  return rounded(sorted[Math.floor(sorted.length * share)] ?? NaN)
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}
