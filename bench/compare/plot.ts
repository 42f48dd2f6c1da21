import { own, peers } from './contenders.ts'
import type { Figures, ThroughputFigures } from './figures.ts'
import { titleOf } from './workloads.ts'

const shown = ['list-20', 'list-1000', 'create', 'delete'] as const
const servers = [own, ...peers].map(({ name }) => name)

const width = 840
const labelWidth = 210
const valueWidth = 110
const barHeight = 18
const barDistance = 24
const headHeight = 64
const panelHead = 44
const panelDistance = 18

const colours = { ink: '#1b1f23', quiet: '#57606a', bar: '#8c959f', own: '#1a7f37' } as const

/**
 * Draws CPU a request as bars, a panel for each workload, the project first. Whiskers reach from the lowest round to
 * the highest.
 *
 * @returns an SVG document
 */
export function plotFigures({ throughput, rounds }: Figures): string {
  const panels: string[] = []
  let y = headHeight
  for (const workload of shown) {
    const bars = servers.flatMap(
      (server) => throughput.find((entry) => entry.workload === workload && entry.contender === server) ?? [],
    )
    if (bars.length === 0) continue
    panels.push(panel(titleOf(workload), bars, y))
    y += panelHead + bars.length * barDistance + panelDistance
  }
  const [w, h] = [String(width), String(y)]
  const subtitle =
    `Median of ${String(rounds)} rounds; whiskers from the lowest to the highest. ` +
    `${own.name} logs each request, the peers log nothing.`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${w} ${h}" width="${w}" height="${h}" \
font-family="system-ui, sans-serif" font-size="13" role="img" aria-labelledby="title">
<title id="title">CPU time a request, ${own.name} and its peers</title>
<rect width="100%" height="100%" fill="#ffffff"/>
${text(16, 30, 'CPU time a request, in microseconds: shorter is better', ` font-size="18" font-weight="600"`)}
${text(16, 50, subtitle, '', colours.quiet)}
${panels.join('\n')}
</svg>
`
}

function panel(title: string, bars: ThroughputFigures[], y: number): string {
  const longest = Math.max(...bars.map(({ microseconds }) => microseconds.highest))
  const scale = (width - labelWidth - valueWidth) / longest
  const lines = bars.map(({ contender, microseconds: { median, lowest, highest }, ratios }, index) => {
    const top = y + panelHead + index * barDistance
    const middle = top + barHeight / 2
    const [from, to] = [labelWidth + lowest * scale, labelWidth + highest * scale]
    const isOwn = contender === own.name
    const weight = isOwn ? ' font-weight="600"' : ''
    const ends = [from, to].map((x) => `M${place(x)} ${place(middle - 4)}v8`).join('')
    const factor = ratios === undefined ? '' : ` · ${(1 / ratios.microseconds.median).toFixed(2)}×`
    const value = `${median.toFixed(median < 100 ? 1 : 0)} µs${factor}`
    return [
      text(labelWidth - 8, middle + 4.5, contender, ` text-anchor="end"${weight}`),
      `<rect x="${place(labelWidth)}" y="${place(top)}" width="${place(median * scale)}" height="${String(barHeight)}" \
rx="2" fill="${isOwn ? colours.own : colours.bar}"/>`,
      `<path d="M${place(from)} ${place(middle)}H${place(to)}${ends}" stroke="${colours.ink}" fill="none"/>`,
      text(to + 8, middle + 4.5, value, weight),
    ].join('\n')
  })
  return [text(16, y + 30, title, ' font-size="15" font-weight="600"'), ...lines].join('\n')
}

function text(x: number, y: number, content: string, attributes = '', colour: string = colours.ink): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<text x="${place(x)}" y="${place(y)}"${attributes} fill="${colour}">${escaped}</text>`
}

/** A coordinate, in tenths of a pixel. */
function place(value: number): string {
  return value.toFixed(1)
}
