import { colours, escape, frame, headHeight, panelTitle, place, width } from '../../scripts/measure/report/svg-frame.ts'
import { own, peers } from '../contenders/contenders.ts'
import type { Figures, ThroughputFigures } from './figures.ts'
import { titleOf } from './targets.ts'

const shown = ['list-20', 'list-1000', 'create', 'delete'] as const
const servers = [own, ...peers].map(({ name }) => name)

const labelWidth = 210
const valueWidth = 110
const barHeight = 18
const barDistance = 24
const panelHead = 44
const panelDistance = 18

/**
 * Draws CPU a request as bars, a panel for each workload, the project first. Whiskers reach from the lowest round to
 * the
 * highest.
 *
 * @returns an SVG document
 */
export function plotFigures(figures: Figures): string {
  const panels = shown.flatMap((workload) => {
    const entries = figures.throughput.filter((entry) => entry.workload === workload)
    const bars = servers.flatMap((server) => entries.find(({ contender }) => contender === server) ?? [])
    return bars.length === 0 ? [] : [{ title: titleOf(workload), bars }]
  })
  const heights = panels.map(({ bars }) => panelHead + bars.length * barDistance + panelDistance)
  const height = headHeight + heights.reduce((sum, value) => sum + value, 0)
  const drawn = panels.map(({ title, bars }, index) =>
    panel(title, bars, headHeight + heights.slice(0, index).reduce((sum, value) => sum + value, 0)),
  )
  return frame({
    height,
    description: `CPU time a request, ${own.name} and its peers`,
    title: 'CPU time a request, in microseconds: shorter is better',
    subtitle: `Median of ${String(figures.rounds)} rounds; whiskers from the lowest to the highest. ${own.name} logs each request, the peers log nothing.`,
    panels: drawn,
  })
}

function panel(title: string, bars: ThroughputFigures[], y: number): string {
  const longest = Math.max(...bars.map(({ microseconds }) => microseconds.highest))
  const scale = (width - labelWidth - valueWidth) / longest
  const lines = bars.map(({ contender, microseconds: { median, lowest, highest }, factor }, index) => {
    const barTop = y + panelHead + index * barDistance
    const middle = barTop + barHeight / 2
    const isOwn = contender === own.name
    const [from, to] = [labelWidth + lowest * scale, labelWidth + highest * scale]
    const comparison = factor === undefined ? '' : ` · ${factor.toFixed(2)}×`
    return [
      `<text x="${String(labelWidth - 8)}" y="${place(middle + 4.5)}" text-anchor="end" fill="${colours.ink}"${isOwn ? ' font-weight="600"' : ''}>${escape(contender)}</text>`,
      `<rect x="${String(labelWidth)}" y="${place(barTop)}" width="${place(median * scale)}" height="${String(barHeight)}" rx="2" fill="${isOwn ? colours.first : colours.faint}"/>`,
      `<path d="M${place(from)} ${place(middle)}H${place(to)}M${place(from)} ${place(middle - 4)}v8M${place(to)} ${place(middle - 4)}v8" stroke="${colours.ink}" fill="none"/>`,
      `<text x="${place(to + 8)}" y="${place(middle + 4.5)}" fill="${colours.ink}"${isOwn ? ' font-weight="600"' : ''}>${median.toFixed(median < 100 ? 1 : 0)} µs${comparison}</text>`,
    ].join('\n')
  })
  return [panelTitle(title, y + 30), ...lines].join('\n')
}
