import {
  colours,
  element,
  frame,
  headHeight,
  panelTitle,
  place,
  width,
} from '../../scripts/measure/report/svg-frame.ts'
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

const whiskers = 'whiskers from the lowest to the highest'
const logs = 'logs each request, the peers log nothing'

/**
 * Draws CPU a request as bars, a panel for each workload, the project first. Whiskers reach from the lowest round to
 * the highest.
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
    subtitle: `Median of ${String(figures.rounds)} rounds; ${whiskers}. ${own.name} ${logs}.`,
    panels: drawn,
  })
}

function panel(title: string, bars: ThroughputFigures[], y: number): string {
  const longest = Math.max(...bars.map(({ microseconds }) => microseconds.highest))
  const scale = (width - labelWidth - valueWidth) / longest
  const lines = bars.map(({ contender, microseconds: { median, lowest, highest }, factor }, index) => {
    const barTop = y + panelHead + index * barDistance
    const middle = barTop + barHeight / 2
    const [from, to] = [labelWidth + lowest * scale, labelWidth + highest * scale]
    const isOwn = contender === own.name
    const baseline = place(middle + 4.5)
    const style = { fill: colours.ink, 'font-weight': isOwn ? '600' : undefined }
    const bar = { x: String(labelWidth), y: place(barTop), width: place(median * scale), height: String(barHeight) }
    const ends = [from, to].map((x) => `M${place(x)} ${place(middle - 4)}v8`).join('')
    const comparison = factor === undefined ? '' : ` · ${factor.toFixed(2)}×`
    const value = `${median.toFixed(median < 100 ? 1 : 0)} µs${comparison}`
    return [
      element('text', { x: String(labelWidth - 8), y: baseline, 'text-anchor': 'end', ...style }, contender),
      element('rect', { ...bar, rx: '2', fill: isOwn ? colours.first : colours.faint }),
      element('path', { d: `M${place(from)} ${place(middle)}H${place(to)}${ends}`, stroke: colours.ink, fill: 'none' }),
      element('text', { x: place(to + 8), y: baseline, ...style }, value),
    ].join('\n')
  })
  return [panelTitle(title, y + 30), ...lines].join('\n')
}
