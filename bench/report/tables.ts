import { own } from '../contenders/contenders.ts'
import type { Figures } from './figures.ts'
import { processesConnections } from '../measurements/processes.ts'
import { workloads } from '../workloads.ts'
import { spreadText, targetsOf } from './targets.ts'

/** A table as it is printed and as it is written to docs/bench/figures.md. */
export interface Table {
  title: string
  /** A paragraph above the table. */
  note?: string
  head: string[]
  /** Each has as many cells as `head`. */
  rows: string[][]
}

/** Every table of a run: the promises first, then each workload, then the rest. */
export function tablesOf(figures: Figures): Table[] {
  return [
    ...targetTable(figures),
    ...workloadTables(figures),
    ...memoryTable(figures),
    ...startTable(figures),
    ...installsTable(figures),
    ...millionTable(figures),
    ...processesTables(figures),
  ]
}

function targetTable(figures: Figures): Table[] {
  const measured = targetsOf(figures).filter(({ reached }) => reached !== undefined)
  if (measured.length === 0) return []
  const rows = measured.map(({ work, promise, reached, isKept }) => [
    work,
    promise,
    reached ?? '',
    isKept === true ? 'kept' : 'not kept',
  ])
  return [{ title: 'Promises', head: ['work', 'promise', 'reached: median (lowest–highest)', ''], rows }]
}

function workloadTables(figures: Figures): Table[] {
  return workloads.flatMap(({ name, title }) => {
    const entries = figures.throughput.filter(({ workload }) => workload === name)
    if (entries.length === 0) return []
    const rows = entries.map((entry) => [
      entry.contender,
      spreadText(entry.microseconds, 1),
      entry.ratios === undefined ? '' : spreadText(entry.ratios.microseconds, 2),
      spreadText(entry.requestsPerSecond, 0),
      percent(entry.generatorBusy),
      percent(entry.serverWaiting),
    ])
    return [
      {
        title,
        head: [
          'server',
          'CPU a request, µs',
          `${own.name} / server`,
          'requests a second',
          'generator busy',
          'server kept waiting',
        ],
        rows,
      },
    ]
  })
}

function memoryTable({ memory }: Figures): Table[] {
  if (memory.length === 0) return []
  const ours = memory.find(({ contender }) => contender === own.name)
  const rows = memory.map(({ contender, idle, peak }) => [
    contender,
    mebibytes(idle),
    ratio(ours?.idle, idle),
    mebibytes(peak),
    ratio(ours?.peak, peak),
  ])
  const compared = `${own.name} / server`
  return [
    {
      title: 'Memory',
      head: ['server', 'idle after the start, MiB', compared, 'peak under all workloads, MiB', compared],
      rows,
    },
  ]
}

const startNote = `A server that starts, until it has answered a list of 20. Each has a compile cache, unless its name
says otherwise.`

function startTable({ start }: Figures): Table[] {
  if (start === undefined) return []
  const rows = start.map(({ contender, milliseconds, ratio: compared }) => [
    contender,
    spreadText(milliseconds, 0),
    compared === undefined ? '' : spreadText(compared, 2),
  ])
  const head = ['server', 'first answer, ms', `${own.name} / server`]
  return [{ title: 'From the start to the first answer', note: startNote, head, rows }]
}

const installsNote = `What npm installs for production, without Node or Bun. The disk's blocks are not counted.`

function installsTable({ installs }: Figures): Table[] {
  if (installs === undefined) return []
  const ours = installs.find(({ contender }) => contender === own.name)
  const rows = installs.map(({ contender, packages, bytes }) => [
    contender,
    String(packages),
    ratio(ours?.packages, packages),
    (bytes / 2 ** 20).toFixed(1),
    ratio(ours?.bytes, bytes),
  ])
  const compared = `${own.name} / server`
  return [
    { title: 'Size of an install', note: installsNote, head: ['server', 'packages', compared, 'MiB', compared], rows },
  ]
}

function ratio(ours: number | undefined, theirs: number): string {
  return ours === undefined || theirs === 0 ? '' : (ours / theirs).toFixed(2)
}

function millionTable({ million = [] }: Figures): Table[] {
  if (million.length === 0) return []
  const rows = million.map(
    ({ contender, memoryAboveIdle, firstByteMilliseconds, milliseconds, slowestOtherMilliseconds, otherRequests }) => [
      contender,
      mebibytes(memoryAboveIdle),
      firstByteMilliseconds.toFixed(1),
      milliseconds.toFixed(0),
      `${slowestOtherMilliseconds.toFixed(1)} of ${String(otherRequests)}`,
    ],
  )
  const head = [
    'server',
    'memory above idle, MiB',
    'first byte, ms',
    'whole list, ms',
    "slowest of another caller's requests, ms",
  ]
  return [{ title: 'A list of 1,000,000 plants, whose reader stops reading for a second', head, rows }]
}

const processesNote = `One server has a processor to itself and the load generator the other, as above.
Two servers share both with the generator, so on two processors a second server adds only what the generator leaves of
its own. PostgreSQL's processes run on both, and wait for the disk at each commit (fsync on). Requests a second hold
for such a machine; CPU a request shows what a larger one needs. The kernel distributes connections over the servers,
not requests; the busier server's share of their CPU shows how evenly.`

function processesTables({ processes }: Figures): Table[] {
  if (processes === undefined) return []
  const rows = processes.entries.map((entry) => [
    entry.work,
    entry.store,
    String(entry.processes),
    spreadText(entry.serverMicroseconds, 1),
    entry.databaseMicroseconds === undefined ? 'in the server' : spreadText(entry.databaseMicroseconds, 1),
    spreadText(entry.requestsPerSecond, 0),
    percent(entry.busiestShare),
    percent(entry.generatorBusy),
  ])
  const head = [
    'work',
    'store',
    'servers',
    'CPU of the servers a request, µs',
    'CPU of the database a request, µs',
    'requests a second',
    'share of the busier server',
    'generator busy',
  ]
  const { append, roundTrip } = processes.waits
  const waits = [
    ['4 KiB appended to a file, until fdatasync returns', spreadText(append, 0)],
    ['a lone `SELECT 1` to PostgreSQL on this machine and back', spreadText(roundTrip, 0)],
  ]
  return [
    {
      title: `Servers that share a port (\`REUSE_PORT=1\`), ${String(processesConnections)} connections`,
      note: processesNote,
      head,
      rows,
    },
    { title: 'What a request waits for', head: ['wait', 'µs'], rows: waits },
  ]
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0)
}
