/**
 * What every plot of the project has in common: an SVG of one width with a title, a line that explains it, and panels
 * below.
 */
export const width = 840

/** Where the first panel may begin, beneath the title and the line below it. */
export const headHeight = 64

export const colours = {
  ink: '#1b1f23',
  quiet: '#57606a',
  faint: '#8c959f',
  first: '#1a7f37',
  second: '#bf3989',
} as const

export interface Frame {
  height: number
  /** What the plot shows, for who cannot see it. */
  description: string
  title: string
  subtitle: string
  /** SVG elements. */
  panels: string[]
}

/** @returns an SVG document */
export function frame({ height, description, title, subtitle, panels }: Frame): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${String(width)} ${String(height)}" width="${String(width)}" height="${String(height)}" font-family="system-ui, sans-serif" font-size="13" role="img" aria-labelledby="title">
<title id="title">${escape(description)}</title>
<rect width="100%" height="100%" fill="#ffffff"/>
<text x="16" y="30" font-size="18" font-weight="600" fill="${colours.ink}">${escape(title)}</text>
<text x="16" y="50" fill="${colours.quiet}">${escape(subtitle)}</text>
${panels.join('\n')}
</svg>
`
}

/** @param y of its baseline */
export function panelTitle(title: string, y: number): string {
  return `<text x="16" y="${place(y)}" font-size="15" font-weight="600" fill="${colours.ink}">${escape(title)}</text>`
}

/** A coordinate, in tenths of a pixel. */
export function place(value: number): string {
  return value.toFixed(1)
}

/** Text as SVG has it between two tags. */
export function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
