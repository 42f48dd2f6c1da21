import { own } from '../contenders/contenders.ts'
import type { Figures } from './figures.ts'
import { type Table, tablesOf } from './tables.ts'

/** The figures of a run as a page: docs/bench/figures.md. */
export function figuresAsMarkdown(figures: Figures): string {
  const { date, machine, rounds, milliseconds } = figures
  const intro = `# What a request costs

Written by \`npm run bench\` on ${date}, on ${String(machine.processors)} processors (${machine.processor}), Node ${machine.node}, SQLite ${machine.sqlite}.
${String(rounds)} rounds of ${String(milliseconds)} ms a workload; in each round every server has its turn. The servers share one processor, the load
generator has the other. CPU is what the kernel counted for all threads of the server's process (\`/proc/PID/task/*/schedstat\`), divided
by the requests answered. Ratios are taken round by round, because what disturbs a shared machine disturbs both halves of a ratio.
${own.name} runs as it does by default and logs each request to a file; the peers log nothing. "Kept waiting" says how much other work disturbed
a server: the share of the time in which it was ready and its processor was another's.`
  return `${[intro, ...tablesOf(figures).map(tableAsMarkdown)].join('\n\n')}\n`
}

function tableAsMarkdown({ title, note, head, rows }: Table): string {
  const lines = [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`)
  return [`## ${title}`, '', ...(note === undefined ? [] : [note, '']), ...lines].join('\n')
}
