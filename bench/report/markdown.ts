import { own } from '../contenders/contenders.ts'
import type { Figures } from './figures.ts'
import { type Table, tablesOf } from './tables.ts'

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
  return `${[intro, ...tablesOf(figures).map(tableAsMarkdown)].join('\n\n')}\n`
}

function tableAsMarkdown({ title, note, head, rows }: Table): string {
  const lines = [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`)
  return [`## ${title}`, '', ...(note === undefined ? [] : [note, '']), ...lines].join('\n')
}
