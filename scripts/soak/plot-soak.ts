import type { SoakFigures, SoakMinute } from './soak.ts'

const width = 840
const left = 64
const right = 120
const panelHeight = 150
const panelDistance = 56
const top = 84

interface Line {
  name: string
  colour: string
  valueOf: (minute: SoakMinute) => number
}

const panels: { title: string; lines: Line[] }[] = [
  { title: 'Resident memory, MiB', lines: [{ name: 'memory', colour: '#1a7f37', valueOf: ({ memory }) => memory }] },
  {
    title: 'Time to the whole answer, milliseconds',
    lines: [
      { name: 'p50', colour: '#1a7f37', valueOf: ({ p50 }) => p50 },
      { name: 'p99', colour: '#bf3989', valueOf: ({ p99 }) => p99 },
    ],
  },
]

/** Draws memory and waits, minute by minute, from zero. @returns an SVG document */
export function plotSoak({ clients, minutes, date }: SoakFigures): string {
  const height = top + panels.length * (panelHeight + panelDistance)
  const requests = minutes.reduce((sum, minute) => sum + minute.requests, 0)
  const errors = minutes.flatMap((minute) => Object.values(minute.errors)).reduce((sum, count) => sum + count, 0)
  const drawn = panels.map(({ title, lines }, index) => panel(title, lines, minutes, top + index * (panelHeight + panelDistance)))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${String(width)} ${String(height)}" width="${String(width)}" height="${String(height)}" font-family="system-ui, sans-serif" font-size="13" role="img" aria-labelledby="title">
<title id="title">Memory and waits of the server under a mixed load, minute by minute</title>
<rect width="100%" height="100%" fill="#ffffff"/>
<text x="16" y="30" font-size="18" font-weight="600" fill="#1b1f23">${String(minutes.length)} minutes of mixed load</text>
<text x="16" y="50" fill="#57606a">${requests.toLocaleString('en')} requests of ${String(clients)} clients, ${String(errors)} answered otherwise than expected; ${date}.</text>
${drawn.join('\n')}
</svg>
`
}

function panel(title: string, lines: Line[], minutes: SoakMinute[], y: number): string {
  const highest = Math.max(...lines.flatMap(({ valueOf }) => minutes.map(valueOf)))
  const xOf = (index: number) => left + ((width - left - right) * (index + 1)) / minutes.length
  const yOf = (value: number) => y + panelHeight - (panelHeight - 20) * (value / highest)
  const parts = [
    `<text x="16" y="${place(y)}" font-size="15" font-weight="600" fill="#1b1f23">${title}</text>`,
    `<path d="M${String(left)} ${place(yOf(0))}H${String(width - right)}" stroke="#8c959f" fill="none"/>`,
    `<text x="${String(left - 8)}" y="${place(yOf(0) + 4)}" text-anchor="end" fill="#57606a">0</text>`,
    `<text x="${String(left - 8)}" y="${place(yOf(highest) + 4)}" text-anchor="end" fill="#57606a">${String(highest)}</text>`,
    ...minutes.map(({ minute }, index) => `<text x="${place(xOf(index))}" y="${place(y + panelHeight + 18)}" text-anchor="middle" fill="#57606a">${String(minute)}</text>`),
  ]
  for (const { name, colour, valueOf } of lines) {
    const points = minutes.map((minute, index) => `${place(xOf(index))},${place(yOf(valueOf(minute)))}`)
    const last = minutes.at(-1)
    parts.push(
      `<polyline points="${points.join(' ')}" stroke="${colour}" stroke-width="2" fill="none"/>`,
      ...(last === undefined ? [] : [`<text x="${String(width - right + 10)}" y="${place(yOf(valueOf(last)) + 4)}" fill="${colour}">${name} ${String(valueOf(last))}</text>`]),
    )
  }
  return parts.join('\n')
}

function place(value: number): string {
  return value.toFixed(1)
}
