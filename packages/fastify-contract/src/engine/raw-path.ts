/**
 * Reads parameters from a path, percent-encoded as they were sent. A base path may come before the template.
 *
 * @param texts those of all parameters of the path, percent-decoded
 */
export type RawPathReader = (path: string, texts: Readonly<Record<string, unknown>>) => ReadonlyMap<string, string>

/** @param names those of the parameters to read */
export function createRawPathReader(template: string, names: readonly string[]): RawPathReader {
  const segments = segmentsOf(template)
  const places = names.map((name) => {
    const index = segments.findIndex((segment) => segment.includes(`{${name}}`))
    const [before = '', after = ''] = (segments[index] ?? '').split(`{${name}}`, 2)
    return { name, index, before, isWhole: before === '' && after === '' }
  })
  return (path, texts) => {
    const raw = segmentsOf(path)
    const textOf = (name: string) => String(texts[name])
    return new Map(
      places.map(({ name, index, before, isWhole }) => {
        const segment = raw[index] ?? ''
        if (isWhole) return [name, segment]
        const { length } = before.replaceAll(/\{([^{}]+)\}/g, (_all, other: string) => textOf(other))
        return [name, partOf(segment, length, length + textOf(name).length)]
      }),
    )
  }
}

/** The segments of a path from its end, without empty ones, which a router may ignore. */
function segmentsOf(path: string): string[] {
  return path
    .split('/')
    .filter((segment) => segment !== '')
    .reverse()
}

/** The characters of a text in UTF-8, each percent-encoded or not. */
const characters = /%[0-7].|%[cd].%..|%e.(?:%..){2}|%f.(?:%..){3}|[^]/gi

/** A part of a percent-encoded text, between two positions of the decoded one. */
function partOf(raw: string, start: number, end: number): string {
  let position = 0
  const part = Array.from(raw.matchAll(characters), ([character]) => {
    const at = position
    position += decodeURIComponent(character).length
    return at >= start && at < end ? character : ''
  })
  return part.join('')
}
