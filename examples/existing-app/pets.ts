/** The data of the app, in memory. */
export const pets = new Map([
  [1n, { id: 1n, name: 'Rex' }],
  [9007199254740993n, { id: 9007199254740993n, name: 'Kim' }],
])

/** The user of a session; undefined for none. */
export function userOf(session: string | undefined): { name: string } | undefined {
  return session === 'secret' ? { name: 'Ada' } : undefined
}
