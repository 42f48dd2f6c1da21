/** One way to write an integer, and how the contract reads it. */
export interface IntegerSpelling {
  /** The `id` of `DELETE /plants/{id}`, the `limit` of `GET /plants`, or the `id` of a `NewPlant`. */
  place: 'path' | 'query' | 'body'
  /** The text in the URL, or the JSON value. */
  spelling: string
  /** The integer; 'refused': 400 with the error 40001. */
  expected: bigint | 'refused'
}

const pathSpellings: Record<string, bigint | 'refused'> = {
  '0': 0n,
  '54': 54n,
  '-54': -54n,
  '%35%34': 54n,
  '9007199254740992': 9_007_199_254_740_992n,
  '9007199254740993': 9_007_199_254_740_993n,
  '9007199254740994': 9_007_199_254_740_994n,
  '-9007199254740993': -9_007_199_254_740_993n,
  '9223372036854775807': 9_223_372_036_854_775_807n,
  '-9223372036854775808': -9_223_372_036_854_775_808n,
  '9223372036854775808': 'refused',
  '-9223372036854775809': 'refused',
  '18446744073709551670': 'refused',
  '-0': 'refused',
  '054': 'refused',
  '+54': 'refused',
  '%2054': 'refused',
  '54%20': 'refused',
  '54%0A': 'refused',
  '54.0': 'refused',
  '54.': 'refused',
  '54.5': 'refused',
  '5.4e1': 'refused',
  '54e0': 'refused',
  '0x36': 'refused',
  '0o66': 'refused',
  '0b110110': 'refused',
  '54n': 'refused',
  '5_4': 'refused',
  '54abc': 'refused',
  '%D9%A5%D9%A4': 'refused',
  '%EF%BC%95%EF%BC%94': 'refused',
  NaN: 'refused',
  null: 'refused',
}

const querySpellings: Record<string, bigint | 'refused'> = {
  '0': 0n,
  '2': 2n,
  '%32': 2n,
  '2147483647': 2_147_483_647n,
  '': 'refused',
  '2147483648': 'refused',
  '4294967298': 'refused',
  '-1': 'refused',
  '-0': 'refused',
  '02': 'refused',
  '+2': 'refused',
  '%2B2': 'refused',
  '%202': 'refused',
  '2.0': 'refused',
  '2e0': 'refused',
  '0x2': 'refused',
  '2,3': 'refused',
  '1&limit=2': 'refused',
  Infinity: 'refused',
}

const bodySpellings: Record<string, bigint | 'refused'> = {
  '0': 0n,
  '-0': 0n,
  '54': 54n,
  '54.0': 54n,
  '54e0': 54n,
  '5.4e1': 54n,
  '540E-1': 54n,
  '0.54e+2': 54n,
  '9007199254740992': 9_007_199_254_740_992n,
  '9007199254740993': 9_007_199_254_740_993n,
  '9007199254740994': 9_007_199_254_740_994n,
  '9007199254740992.0': 9_007_199_254_740_992n,
  '9223372036854775807': 9_223_372_036_854_775_807n,
  '-9223372036854775808': -9_223_372_036_854_775_808n,
  '9007199254740993.0': 'refused',
  '9.007199254740993e15': 'refused',
  '1e18': 'refused',
  '9223372036854775808': 'refused',
  '-9223372036854775809': 'refused',
  '18446744073709551670': 'refused',
  '1e400': 'refused',
  '54.5': 'refused',
  '54.00000000000000000001': 'refused',
  '5e-324': 'refused',
  '"54"': 'refused',
  true: 'refused',
  null: 'refused',
  '[54]': 'refused',
}

export const integerSpellings: readonly IntegerSpelling[] = [
  ...rows('path', pathSpellings),
  ...rows('query', querySpellings),
  ...rows('body', bodySpellings),
]

function rows(place: IntegerSpelling['place'], spellings: Record<string, bigint | 'refused'>): IntegerSpelling[] {
  return Object.entries(spellings).map(([spelling, expected]) => ({ place, spelling, expected }))
}
