/** The width of every plot: an SVG with a title, a line that explains it, and panels below. */
export const width = 840

/** The height of the title and of the line below it; the first panel begins here. */
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
  /** What the plot shows, for readers who cannot see it. */
  description: string
  title: string
  subtitle: string
  /** SVG elements. */
  panels: string[]
}

/** @returns an SVG document */
export function frame({ height, description, title, subtitle, panels }: Frame): string {
  const svg = {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${String(width)} ${String(height)}`,
    width: String(width),
    height: String(height),
    'font-family': 'system-ui, sans-serif',
    'font-size': '13',
    role: 'img',
    'aria-labelledby': 'title',
  }
  const parts = [
    `<title id="title">${escape(description)}</title>`,
    element('rect', { width: '100%', height: '100%', fill: '#ffffff' }),
    element('text', { x: '16', y: '30', 'font-size': '18', 'font-weight': '600', fill: colours.ink }, title),
    element('text', { x: '16', y: '50', fill: colours.quiet }, subtitle),
    ...panels,
  ]
  return `<svg${attributesOf(svg)}>\n${parts.join('\n')}\n</svg>\n`
}

/** @param y of its baseline */
export function panelTitle(title: string, y: number): string {
  return element('text', { x: '16', y: place(y), 'font-size': '15', 'font-weight': '600', fill: colours.ink }, title)
}

/** Writes an element. Leaves out the attributes that are undefined. @param text its content, not escaped yet */
export function element(name: string, attributes: Record<string, string | undefined>, text?: string): string {
  const start = `<${name}${attributesOf(attributes)}`
  return text === undefined ? `${start}/>` : `${start}>${escape(text)}</${name}>`
}

function attributesOf(attributes: Record<string, string | undefined>): string {
  return Object.entries(attributes)
    .map(([name, value]) => (value === undefined ? '' : ` ${name}="${value}"`))
    .join('')
}

/** A coordinate, in tenths of a pixel. */
export function place(value: number): string {
  return value.toFixed(1)
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
