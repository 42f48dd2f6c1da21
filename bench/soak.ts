import { setTimeout as delay } from 'node:timers/promises'
import { readArguments, readInteger } from '../scripts/command.ts'
import { type Question, ask } from './lab/clients.ts'
import { startLoadedServer } from './lab/lab.ts'
import { memoryOf } from '../test/support/server/process-figures.ts'

const usage = `Usage: npm run bench -- soak [--minutes N]
         loads a server for N minutes (10) with good and bad requests, and prints docs/bench/soak.md: memory and waits,
         minute by minute; the exit code is 1 when an answer was not as expected`

const clients = 32
const pauseMilliseconds = 20
const minuteMilliseconds = 60_000
const listedPlants = 1_000

/** Good and bad requests that create a plant and delete it, and the statuses of the answers. */
function stepsOf(id: number): (Question & { status: number })[] {
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

export async function run(args: string[]): Promise<void> {
  const { values } = readArguments(usage, { args, options: { minutes: { type: 'string', default: '10' } } })
  const minutes = readInteger(usage, '--minutes', values.minutes, 1)
  await using server = await startLoadedServer(listedPlants)
  let waits: number[] = []
  const errors: string[] = []
  let isOver = false

  /** @param client from 0; each client uses ids of its own */
  async function load(client: number): Promise<void> {
    for (let id = client; ; id += clients) {
      for (const step of stepsOf(id)) {
        if (isOver) return
        const { status, from, to } = await ask(server.port, server.token, step)
        waits.push(to - from)
        if (status !== step.status)
          errors.push(`${step.method} ${step.path}: ${String(status)}, not ${String(step.status)}`)
        await delay(pauseMilliseconds)
      }
    }
  }

  const rows: string[] = []
  const loads = Array.from({ length: clients }, (_, client) => load(client))
  for (let minute = 1; minute <= minutes; minute++) {
    await delay(minuteMilliseconds)
    const sorted = waits.toSorted((a, b) => a - b)
    waits = []
    const memory = memoryOf(server.pid, 'VmRSS')
    const figures = [quantile(sorted, 0.5), quantile(sorted, 0.99), memory].map((figure) => figure.toFixed(1))
    const row = `| ${[minute, sorted.length, ...figures, errors.length].map(String).join(' | ')} |`
    console.error(row)
    rows.push(row)
  }
  isOver = true
  await Promise.all(loads)
  process.stdout.write(pageOf(rows))
  for (const error of errors.slice(0, 20)) console.error(error)
  if (errors.length > 0) process.exitCode = 1
}

function pageOf(rows: string[]): string {
  const date = new Date().toISOString().slice(0, 'YYYY-MM-DD'.length)
  return `# Minutes of load

Printed by \`npm run -s bench -- soak\` on ${date}, Node ${process.versions.node}. ${String(clients)} clients send good and
bad requests, one after the other. Waits are in milliseconds, memory is resident, in MiB. Wrong answers are counted
from the beginning.

| minute | requests | p50 | p99 | memory | wrong answers |
| --- | --- | --- | --- | --- | --- |
${rows.join('\n')}
`
}

function quantile(sorted: number[], share: number): number {
  return sorted[Math.floor(sorted.length * share)] ?? NaN
}
