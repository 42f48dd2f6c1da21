import leven from 'leven'

/** The known word that an unknown one looks like. */
export function nearestOf(word: string, candidates: readonly string[]): string | undefined {
  const maxDistance = word.length < 6 ? 1 : 2
  const [nearest] = candidates
    .map((each) => ({ each, distance: distanceOf(word.toLowerCase(), each.toLowerCase()) }))
    .filter(({ distance }) => distance <= maxDistance)
    .sort((a, b) => a.distance - b.distance)
  return nearest?.each
}

/** Completes a message about an unknown word: the known word that it looks like, or a remedy without one. */
export function didYouMean(word: string, candidates: readonly string[], otherwise: string): string {
  const nearest = nearestOf(word, candidates)
  return nearest === undefined ? otherwise : `did you mean ${nearest}?`
}

/** The number of slips between two words. Two letters in the wrong order are one. */
export function distanceOf(one: string, other: string): number {
  return one === other ? 0 : hasSameLetters(one, other) ? 1 : leven(one, other)
}

export function hasSameLetters(one: string, other: string): boolean {
  const [oneLetters, otherLetters] = [one, other].map((text) => Array.from(text).sort().join(''))
  return oneLetters === otherLetters
}
