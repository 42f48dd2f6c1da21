import leven from 'leven'

/** The known word that an unknown one looks like. */
export function nearestOf(word: string, known: readonly string[]): string | undefined {
  const most = word.length < 6 ? 1 : 2
  const lettersOf = (text: string) => Array.from(text).sort().join('')
  const distanceOf = (one: string, other: string) =>
    // Two letters in the wrong order are one slip.
    lettersOf(one) === lettersOf(other) ? 1 : leven(one, other)
  const [nearest] = known
    .map((each) => ({ each, distance: distanceOf(word.toLowerCase(), each.toLowerCase()) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance)
  return nearest?.each
}

/** Completes a message about an unknown word: the known word that it looks like, or a remedy without one. */
export function didYouMean(word: string, known: readonly string[], otherwise: string): string {
  const nearest = nearestOf(word, known)
  return nearest === undefined ? otherwise : `did you mean ${nearest}?`
}
