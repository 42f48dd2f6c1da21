import type { Figures } from './figures.ts'
import { type Table, tablesOf } from './tables.ts'

/** The figures of a run for a terminal. */
export function figuresAsText(figures: Figures): string {
  return tablesOf(figures).map(tableAsText).join('\n\n')
}

function tableAsText({ title, note, head, rows }: Table): string {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const lines = [head, ...rows].map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
  )
  return [title, ...(note === undefined ? [] : [note]), ...lines].join('\n')
}
