import { own } from './contenders.ts'
import type { Figures } from './figures.ts'
import { promisesOf, spreadText } from './promises.ts'
import { workloads } from './workloads.ts'

interface Table {
  title: string
  /** A paragraph above the table. */
  note?: string
  head: string[]
  /** Each has as many cells as `head`. */
  rows: string[][]
}

const compared = `${own.name} / server`

/** The figures of a run as a page: docs/bench/figures.md. */
export function figuresAsMarkdown(figures: Figures): string {
  const { date, machine, rounds, milliseconds } = figures
  const processors = `${String(machine.processors)} processors (${machine.processor})`
  const intro = `# What a request costs

Written by \`npm run bench\` on ${date}, on ${processors}, Node ${machine.node}, SQLite ${machine.sqlite}.
${String(rounds)} rounds of ${String(milliseconds)} ms a workload; each round measures every server.
The servers share one processor, the load generator has the other. CPU is what the kernel counted for all threads of the
server's process (\`/proc/PID/task/*/schedstat\`), divided by the requests answered. Ratios are computed round by round,
because a disturbance of a shared machine is then in both numbers of a ratio. ${own.name} runs with its defaults and
logs each request to a file; the peers log nothing. "Kept waiting" is the share of the time in which the server was
ready to run but another process had its processor.`
  // What was not measured has no rows.
  const tables = [
    promiseTable(figures),
    ...workloads.map(({ name, title }) => workloadTable(figures, name, title)),
    memoryTable(figures),
    startTable(figures),
    millionTable(figures),
  ].filter(({ rows }) => rows.length > 0)
  return `${[intro, ...tables.map(asMarkdown)].join('\n\n')}\n`
}

function asMarkdown({ title, note, head, rows }: Table): string {
  const lines = [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`)
  return [`## ${title}`, '', ...(note === undefined ? [] : [note, '']), ...lines].join('\n')
}

function promiseTable(figures: Figures): Table {
  return {
    title: 'Promises',
    head: ['work', 'promise', 'reached: median (lowest–highest)', ''],
    rows: promisesOf(figures).map(({ work, promise, reached, isKept }) => [
      work,
      promise,
      reached,
      isKept ? 'kept' : 'not kept',
    ]),
  }
}

function workloadTable({ throughput }: Figures, workload: string, title: string): Table {
  return {
    title,
    head: ['server', 'CPU a request, µs', compared, 'requests a second', 'generator busy', 'server kept waiting'],
    rows: throughput
      .filter((entry) => entry.workload === workload)
      .map(({ contender, microseconds, ratios, requestsPerSecond, generatorBusy, serverWaiting }) => [
        contender,
        spreadText(microseconds, 1),
        ratios === undefined ? '' : spreadText(ratios.microseconds, 2),
        spreadText(requestsPerSecond, 0),
        percent(generatorBusy),
        percent(serverWaiting),
      ]),
  }
}

function memoryTable({ memory }: Figures): Table {
  const ours = memory.find(({ contender }) => contender === own.name)
  const ratio = (theirs: number, our: number | undefined) => (our === undefined ? '' : (our / theirs).toFixed(2))
  return {
    title: 'Memory',
    head: ['server', 'idle after the start, MiB', compared, 'peak under all workloads, MiB', compared],
    rows: memory.map(({ contender, idle, peak }) => [
      contender,
      mebibytes(idle),
      ratio(idle, ours?.idle),
      mebibytes(peak),
      ratio(peak, ours?.peak),
    ]),
  }
}

function startTable({ start = [] }: Figures): Table {
  return {
    title: 'From the start to the first answer',
    note: `A server that starts, until it has answered a list of 20. Each has a compile cache, unless its name
says otherwise.`,
    head: ['server', 'first answer, ms', compared],
    rows: start.map(({ contender, milliseconds, ratio }) => [
      contender,
      spreadText(milliseconds, 0),
      ratio === undefined ? '' : spreadText(ratio, 2),
    ]),
  }
}

function millionTable({ million = [] }: Figures): Table {
  return {
    title: 'A list of 1,000,000 plants, whose reader stops reading for a second',
    head: [
      'server',
      'memory above idle, MiB',
      'first byte, ms',
      'whole list, ms',
      "slowest of another caller's requests, ms",
    ],
    rows: million.map((figures) => [
      figures.contender,
      mebibytes(figures.memoryAboveIdle),
      figures.firstByteMilliseconds.toFixed(1),
      figures.milliseconds.toFixed(0),
      `${figures.slowestOtherMilliseconds.toFixed(1)} of ${String(figures.otherRequests)}`,
    ]),
  }
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0)
}
