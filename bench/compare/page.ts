import { cpus } from 'node:os'
import Database from 'better-sqlite3'
import { own } from './contenders.ts'
import { type Quantity, type Series, figureOf, spreadText, targetsOf } from './figures.ts'

/** The columns of the tables. */
const columns: Record<Quantity, { head: string; digits: number; hasRatio: boolean }> = {
  cpu: { head: 'CPU a request, µs', digits: 1, hasRatio: true },
  rate: { head: 'requests a second', digits: 0, hasRatio: true },
  waiting: { head: 'kept waiting, %', digits: 0, hasRatio: false },
  start: { head: 'first response, ms', digits: 0, hasRatio: true },
  memory: { head: 'idle memory, MiB', digits: 0, hasRatio: true },
}

/**
 * The figures of a run as a page: docs/bench/figures.md.
 *
 * @param titles of the works, by their names
 */
export function pageOf(
  series: readonly Series[],
  titles: ReadonlyMap<string, string>,
  rounds: number,
  milliseconds: number,
) {
  const date = new Date().toISOString().slice(0, 'YYYY-MM-DD'.length)
  const processors = `${String(cpus().length)} processors (${cpus()[0]?.model ?? 'unknown'})`
  const intro = `# What a request costs

Written by \`npm run bench\` on ${date}, on ${processors}, Node ${process.versions.node}, SQLite ${sqliteVersion()}.
${String(rounds)} rounds of ${String(milliseconds)} ms a work; each round measures every server.
The servers share one processor, the load generator has the other. CPU is what the kernel counted for all threads of the
server's process (\`/proc/PID/task/*/schedstat\`), divided by the requests answered. Ratios are computed round by round,
because a disturbance of a shared machine is then in both numbers of a ratio. ${own.name} runs with its defaults and
logs each request to a file; the peers log nothing. "Kept waiting" is the share of the time in which the server was
ready to run but another process had its processor.`
  const targets = targetsOf(series).map(({ work, target, measured, verdict }) => [
    titles.get(work) ?? work,
    target,
    measured,
    verdict,
  ])
  const sections = [
    intro,
    '## Targets',
    table(['work', 'target', 'measured: median (lowest–highest)', ''], targets),
    ...[...titles].flatMap(([work, title]) => workSection(series, work, title)),
  ]
  return `${sections.join('\n\n')}\n`
}

function workSection(series: readonly Series[], work: string, title: string): string[] {
  const measured = series.filter((each) => each.work === work)
  const quantities = Object.keys(columns).filter((name): name is Quantity =>
    measured.some(({ rounds }) => rounds.some((round) => name in round)),
  )
  if (quantities.length === 0) return []
  const head = quantities.flatMap((name) => [
    columns[name].head,
    ...(columns[name].hasRatio ? [`${own.name} / server`] : []),
  ])
  const rows = measured.map(({ server }) => [
    server,
    ...quantities.flatMap((name) => {
      const { digits, hasRatio } = columns[name]
      const figure = textOf(figureOf(series, work, name, server), digits)
      if (!hasRatio) return [figure]
      return [figure, server === own.name ? '' : textOf(figureOf(series, work, name, own.name, server), 2)]
    }),
  ])
  return [`## ${title}`, table(['server', ...head], rows)]
}

function textOf(spread: ReturnType<typeof figureOf>, digits: number): string {
  return spread === undefined ? '' : spreadText(spread, digits)
}

function table(head: string[], rows: string[][]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

function sqliteVersion(): string {
  const database = new Database(':memory:')
  const version = database.prepare<[], string>('SELECT sqlite_version()').pluck().get() ?? ''
  database.close()
  return version
}
