import type { Cost, MeasuredCosts } from '../postgres/costs.ts'

/** Of the figures of `npm run bench`, what is used here. */
interface Figures {
  date: string
  processes: {
    entries: {
      work: string
      store: string
      processes: number
      serverMicroseconds: { median: number }
      requestsPerSecond: { median: number }
    }[]
    waits: { append: { median: number } }
  }
}

/** How many writes SQLite's store puts into one commit at most. */
const writesTogether = 128

const loads = [1e2, 1e3, 1e4, 1e5, 1e6]

/** Of each machine of servers and of each worker. */
const cores = 8

/** The most busy cores of the one machine that a database or a coordinator has: half of 128, for peaks. */
const mostBusyCores = 64

const [begin, end] = ['<!-- computed by npm run capacity -->', '<!-- end of what is computed -->']

/** Replaces what stands between the two comments of the page. @throws Error when the page has not both */
export function insertSection(page: string, section: string): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`docs/postgres.md has no place that ${begin} begins and ${end} ends`)
  return `${page.slice(0, from + begin.length)}\n\n${section}\n\n${page.slice(to)}`
}

/**
 * What machines a load takes, as Markdown.
 *
 * @param figuresText docs/bench/figures.json
 * @param citusText docs/bench/citus.json
 */
export function capacitySection(figuresText: string, citusText: string): string {
  // Written by `npm run bench` and by `npm run verify:citus -- --write`.
  const figures = JSON.parse(figuresText) as Figures
  const citus = JSON.parse(citusText) as MeasuredCosts
  const { single, throughCoordinator, throughWorker } = citus.costs
  const sqlite = (processes: number) => {
    const of = (work: string) => {
      const found = figures.processes.entries.find(
        (each) => each.work === work && each.store === 'SQLite' && each.processes === processes,
      )
      if (found === undefined)
        throw new Error(`docs/bench/figures.json has no ${work} of ${String(processes)} on SQLite`)
      return found
    }
    const [list, create] = [of('list, limit 20'), of('create')]
    return {
      microseconds: (list.serverMicroseconds.median + create.serverMicroseconds.median) / 2,
      creates: create.requestsPerSecond.median,
    }
  }
  const [one, several] = [sqlite(1), sqlite(2)]
  const most = (microseconds: number) => rounded((cores * 1e6) / microseconds)
  const costRow = (name: string, { server, coordinator, workers }: Cost) =>
    `| ${name} | ${String(server)} | ${String(coordinator)} | ${workers === 0 ? '' : String(workers)} |`
  const wait = figures.processes.waits.append.median
  const breakEven = String(Math.ceil(throughWorker.workers / single.coordinator))
  return [
    `CPU for a request, µs, where half of the requests create and half list at most 20. SQLite is from the run of
${figures.date}; the others are medians of five rounds in turn on ${citus.date} (${citus.version}, 64 callers).`,
    [
      '| store | server | PostgreSQL, or coordinator | all workers |',
      '|---|---|---|---|',
      `| SQLite, one process | ${one.microseconds.toFixed(0)} | | |`,
      `| SQLite, several processes | ${several.microseconds.toFixed(0)} | | |`,
      costRow('one PostgreSQL', single),
      costRow('Citus, servers connect to the coordinator', throughCoordinator),
      costRow('Citus, servers connect to workers', throughWorker),
    ].join('\n'),
    `For *r* requests a second and a cost of *s* µs, *r · s* / 10^6 cores are busy. So with ${String(cores)} cores:`,
    [
      `- one PostgreSQL is full at ${most(single.coordinator)} requests a second`,
      `- a coordinator that all servers connect to is full at ${most(throughCoordinator.coordinator)}`,
      '- a coordinator that only looks tokens up, while servers connect to workers, is full at ' +
        most(throughWorker.coordinator),
      `- Citus does as much as one PostgreSQL from ${breakEven} workers on`,
    ].join('\n'),
    [
      `The table gives the cores that are busy, and machines of ${String(cores)} cores. `,
      'Plan twice as many, for peaks and for the loss of a\nmachine. ',
      'A database is one machine, and so is a coordinator; the largest that is counted on has ' +
        `${String(2 * mostBusyCores)} cores.\n`,
      'The table was computed and not run.',
    ].join(''),
    [
      '| requests a second | one process, SQLite | processes, SQLite (`REUSE_PORT`) | servers, one PostgreSQL | ' +
        'servers, Citus |',
      '|---|---|---|---|---|',
      ...loads.map((load) =>
        [
          '',
          ` 10^${String(Math.log10(load))} `,
          ` ${sqliteCell(load, one, 1)} `,
          ` ${sqliteCell(load, several, cores)} `,
          ` ${postgresCell(load, single)} `,
          ` ${citusCell(load, throughWorker)} `,
          '',
        ].join('|'),
      ),
    ].join('\n'),
    [
      `A writer waits for the disk once for up to ${String(writesTogether)} writes on SQLite, and 500 on PostgreSQL.`,
      `A wait took ${(wait / 1e3).toFixed(2)} ms. With ${String(writesTogether)} writes each, that is`,
      `${rounded((writesTogether * 1e6) / wait)} writes a second.`,
      'The disk limits how fast a write is, not how many there are.',
    ].join('\n'),
  ].join('\n\n')
}

function coresOf(load: number, microseconds: number): number {
  return (load * microseconds) / 1e6
}

function sqliteCell(load: number, { microseconds, creates }: { microseconds: number; creates: number }, most: number) {
  const needed = coresOf(load, microseconds)
  if (load / 2 > creates) return `no: one writer, ${rounded(load / 2)} creates`
  return needed > most ? `no: ${rounded(needed)} cores` : `${rounded(needed)} cores`
}

function postgresCell(load: number, { server, coordinator }: Cost): string {
  const [servers, database] = [coresOf(load, server), coresOf(load, coordinator)]
  if (database > mostBusyCores) return `no: ${rounded(database)} cores of one database`
  return `${rounded(servers)} cores: ${machines(servers)}; ${rounded(database)} of one database`
}

function citusCell(load: number, { server, coordinator, workers }: Cost): string {
  const [servers, first, others] = [server, coordinator, workers].map((cost) => coresOf(load, cost))
  if (others! < cores) return 'not needed'
  const ofServers = `${rounded(servers!)} cores: ${machines(servers!)}`
  const ofWorkers = `${rounded(others!)} of workers: ${machines(others!)}`
  const ofCoordinator = `${rounded(first!)} of one coordinator${first! > mostBusyCores ? ', which is too many' : ''}`
  return `${ofServers}; ${ofWorkers}; ${ofCoordinator}`
}

function machines(needed: number): string {
  const count = Math.ceil(needed / cores)
  return count === 1 ? '1 machine' : `${String(count)} machines`
}

/** Two digits. */
function rounded(value: number): string {
  return Number(value.toPrecision(2)).toLocaleString('en-US', { maximumFractionDigits: 3 })
}
