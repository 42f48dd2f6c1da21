import { cpus } from 'node:os'
import Database from 'better-sqlite3'
import { type Quantity, type Series, type Target, figureOf, quantities, spreadText, targetsOf } from './figures.ts'

/** What the figures of a run come from. @param name of the command */
export function headOf(name: string, rounds: number, milliseconds: number): string {
  const date = new Date().toISOString().slice(0, 'YYYY-MM-DD'.length)
  const processors = `${String(cpus().length)} processors (${cpus()[0]?.model ?? 'unknown'})`
  const command = name === 'compare' ? 'npm run bench' : `npm run bench -- ${name}`
  return `# What a request costs

Written by \`${command}\` on ${date}, on ${processors}, Node ${process.versions.node}, SQLite ${sqliteVersion()}.
${String(rounds)} rounds of ${String(milliseconds)} ms a work; each round measures every server.
The servers share one processor, the load generator has the other. CPU is what the kernel counted for all threads of the
server's process (\`/proc/PID/task/*/schedstat\`), divided by the requests answered. Ratios are computed round by round,
because a disturbance of a shared machine is then in both numbers of a ratio. "Kept waiting" is the share of the time in
which the server was ready to run but another process had its processor.`
}

/** The figures of a run. */
export interface Page {
  /** What they come from. */
  head: string
  series: readonly Series[]
  /** Those of the works, by their names. */
  titles: ReadonlyMap<string, string>
  targets: readonly Target[]
  /** The server that the others are compared with. */
  own: string
}

export function pageOf({ head, series, titles, targets, own }: Page): string {
  const rows = targetsOf(series, targets, own).map(({ work, target, measured, verdict }) => [
    titles.get(work) ?? work,
    target,
    measured,
    verdict,
  ])
  const sections = [
    head,
    '## Targets',
    table(['work', 'target', 'measured: median (lowest–highest)', ''], rows),
    ...[...titles].flatMap(([work, title]) => workSection(series, own, work, title)),
  ]
  return `${sections.join('\n\n')}\n`
}

function workSection(series: readonly Series[], own: string, work: string, title: string): string[] {
  const measured = series.filter((each) => each.work === work)
  const shown = Object.keys(quantities).filter((name): name is Quantity =>
    measured.some(({ rounds }) => rounds.some((round) => name in round)),
  )
  if (shown.length === 0) return []
  const head = shown.flatMap((name) => {
    const { head, hasRatio } = quantities[name]
    return hasRatio ? [head, `${own} / server`] : [head]
  })
  const rows = measured.map(({ server }) => [
    server,
    ...shown.flatMap((name) => {
      const { digits, hasRatio } = quantities[name]
      const figure = spreadText(figureOf(series, work, name, server), digits)
      if (!hasRatio) return [figure]
      return [figure, server === own ? '' : spreadText(figureOf(series, work, name, own, server), 2)]
    }),
  ])
  return [`## ${title}`, table(['server', ...head], rows)]
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
