import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import type { ProcessesMeasurement } from '../../bench/measurements/processes.ts'
import { processTimes, timeBetween } from '../../scripts/measure/servers/process-figures.ts'
import { figuresAsMarkdown } from '../../bench/report/markdown.ts'
import { summarize } from '../../bench/report/summarize.ts'
import { figuresAsText } from '../../bench/report/text.ts'

function measurement(
  serverMicroseconds: number,
  databaseMicroseconds: number | undefined,
  shares: number[],
): ProcessesMeasurement {
  return { requestsPerSecond: 1_000, serverMicroseconds, databaseMicroseconds, shares, generatorBusy: 0.25 }
}

const figures = summarize({
  date: '2026-11-21',
  machine: { processor: 'a processor', processors: 2, node: '24.0.0', sqlite: '3.0.0' },
  rounds: 2,
  milliseconds: 300,
  throughput: [],
  memory: [],
  processes: {
    entries: [
      {
        work: 'create',
        store: 'SQLite',
        processes: 1,
        rounds: [measurement(40, undefined, [1]), measurement(60, undefined, [1])],
      },
      {
        work: 'create',
        store: 'PostgreSQL',
        processes: 2,
        rounds: [measurement(90, 30, [0.25, 0.75]), measurement(90, 50, [0.65, 0.35])],
      },
    ],
    waits: { append: [900, 1_100], roundTrip: [80, 80] },
  },
})

test('servers that share a port are told with the CPU of both sides and the share of the busier one', () => {
  const lines = figuresAsMarkdown(figures).split('\n')
  expect(lines).toContain(
    '| create | SQLite | 1 | 50.0 (40.0–60.0) | in the server | 1000 (1000–1000) | 100 % | 25 % |',
  )
  expect(lines).toContain(
    '| create | PostgreSQL | 2 | 90.0 (90.0–90.0) | 40.0 (30.0–50.0) | 1000 (1000–1000) | 70 % | 25 % |',
  )
  expect(lines).toContain('| 4 KiB appended to a file, until fdatasync returns | 1000 (900–1100) |')
})

test('what shares which processor is told with them, on the page and on a terminal', () => {
  expect(figuresAsMarkdown(figures)).toMatch(
    /## Servers that share a port.*\n\nOne server has a processor to itself[^|]*\n\n\| work /,
  )
  expect(figuresAsText(figures)).toMatch(
    /Servers that share a port.*\nOne server has a processor to itself[^|]*\n {2}work /,
  )
})

test('of a tree of processes, those that began meanwhile count whole, and one that ended takes nothing away', () => {
  const before = new Map([
    [1, 100],
    [2, 500],
    [3, 900],
  ])
  const after = new Map([
    [1, 130],
    [2, 500],
    [4, 20],
  ])
  expect(timeBetween(before, after)).toBe(50)
})

test('a tree is a process and its children', async () => {
  const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; wait'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  // One that printed has an id, and its group has the same.
  onTestFinished(() => void process.kill(-parent.pid!))
  const [line] = (await once(parent.stdout, 'data')) as [Buffer]
  expect([...processTimes(parent.pid!).keys()]).toEqual([parent.pid, Number(line.toString())])
})
