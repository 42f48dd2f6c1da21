import { colours, element, frame, headHeight, panelTitle, place, width } from '../report/svg-frame.ts'
import { type SoakFigures, type SoakMinute, errorsOf } from './soak.ts'

const left = 64
const right = 120
const panelHeight = 150
const panelDistance = 56
const top = headHeight + 20

interface Line {
  name: string
  colour: string
  valueOf: (minute: SoakMinute) => number
}

const panels: { title: string; lines: Line[] }[] = [
  {
    title: 'Resident memory, MiB',
    lines: [{ name: 'memory', colour: colours.first, valueOf: ({ memory }) => memory }],
  },
  {
    title: 'Time to the whole answer, milliseconds',
    lines: [
      { name: 'p50', colour: colours.first, valueOf: ({ p50 }) => p50 },
      { name: 'p99', colour: colours.second, valueOf: ({ p99 }) => p99 },
    ],
  },
]

/** Draws memory and waits, minute by minute, from zero. @returns an SVG document */
export function plotSoak({ clients, minutes, date }: SoakFigures): string {
  const height = top + panels.length * (panelHeight + panelDistance)
  const requests = minutes.reduce((sum, minute) => sum + minute.requests, 0)
  const errors = minutes.reduce((sum, minute) => sum + errorsOf(minute), 0)
  const counts = `${requests.toLocaleString('en')} requests of ${String(clients)} clients`
  const drawn = panels.map(({ title, lines }, index) =>
    panel(title, lines, minutes, top + index * (panelHeight + panelDistance)),
  )
  return frame({
    height,
    description: 'Memory and waits of the server under a mixed load, minute by minute',
    title: `${String(minutes.length)} minutes of mixed load`,
    subtitle: `${counts}, ${String(errors)} answered otherwise than expected; ${date}.`,
    panels: drawn,
  })
}

function panel(title: string, lines: Line[], minutes: SoakMinute[], y: number): string {
  const highest = Math.max(...lines.flatMap(({ valueOf }) => minutes.map(valueOf)))
  const xOf = (index: number) => left + ((width - left - right) * (index + 1)) / minutes.length
  const yOf = (value: number) => y + panelHeight - (panelHeight - 20) * (value / highest)
  const labelX = String(left - 8)
  const label = (x: string, lineY: number, anchor: string, text: string) =>
    element('text', { x, y: place(lineY), 'text-anchor': anchor, fill: colours.quiet }, text)
  const axis = `M${String(left)} ${place(yOf(0))}H${String(width - right)}`
  const parts = [
    panelTitle(title, y),
    element('path', { d: axis, stroke: colours.faint, fill: 'none' }),
    label(labelX, yOf(0) + 4, 'end', '0'),
    label(labelX, yOf(highest) + 4, 'end', String(highest)),
    ...minutes.map(({ minute }, index) => label(place(xOf(index)), y + panelHeight + 18, 'middle', String(minute))),
  ]
  for (const { name, colour, valueOf } of lines) {
    const points = minutes.map((minute, index) => `${place(xOf(index))},${place(yOf(valueOf(minute)))}`).join(' ')
    parts.push(element('polyline', { points, stroke: colour, 'stroke-width': '2', fill: 'none' }))
    const last = minutes.at(-1)
    if (last === undefined) continue
    const value = valueOf(last)
    const end = { x: String(width - right + 10), y: place(yOf(value) + 4) }
    parts.push(element('text', { ...end, fill: colour }, `${name} ${String(value)}`))
  }
  return parts.join('\n')
}
