import { type Finding, asLine } from './findings.ts'
import { type Place, placeOf } from './node.ts'

/** One line for each finding, in the order of their places. */
export function inLines(findings: Finding[], name: string): string[] {
  return inOrder(findings).map(({ text, place }) => `${placeText(place, name)}: ${text}`)
}

/** One line for each kind of warning, at its first place. */
export function inWarnings(warnings: Finding[], name: string): string[] {
  const kinds = [...Map.groupBy(warnings, ({ kind, text }) => kind ?? text).values()]
  const firsts = kinds.map((sameKind) => {
    const found = inOrder(sameKind)
    const more = found.length > 1 ? ` (and ${String(found.length - 1)} more)` : ''
    // A kind has one at least.
    return { place: found[0]!.place, text: `warning: ${found[0]!.text}${more}` }
  })
  return firsts.toSorted(byPlace).map(({ text, place }) => asLine(`${placeText(place, name)}: ${text}`))
}

interface Located {
  text: string
  place: Place | undefined
}

/** Of several findings at one place, the first is kept. */
function inOrder(findings: Finding[]): Located[] {
  const located = findings.map(({ at, beside, text }): Located => {
    const other = beside === undefined ? undefined : placeOf(beside)
    const and = other === undefined ? '' : ` (${placeText(other, '')})`
    return { text: text + and, place: at === undefined ? undefined : placeOf(at) }
  })
  const keyOf = ({ place, text }: Located) => (place === undefined ? text : placeText(place, ''))
  const distinct = [...new Map(located.toReversed().map((finding) => [keyOf(finding), finding])).values()]
  return distinct.toSorted(byPlace)
}

function byPlace({ place: a }: Located, { place: b }: Located): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  return a.file.localeCompare(b.file) || a.line - b.line || a.col - b.col
}

function placeText(place: Place | undefined, name: string): string {
  return place === undefined ? name : `${place.file}:${String(place.line)}:${String(place.col)}`
}
