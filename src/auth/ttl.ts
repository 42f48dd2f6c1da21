const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** The longest lifetime, a hundred years of 365 days: what is longer is a slip of the hand. */
const longest = 36_500 * units.d

/**
 * Reads how long a token is to live.
 *
 * @param text a whole number of seconds, minutes, hours or days: `90s`, `15m`, `12h`, `30d`
 * @returns milliseconds, or undefined where the text is no such thing or the time is longer than 36500 days
 */
export function readLifetime(text: string): number | undefined {
  const [, number, unit] = /^([1-9][0-9]*)([smhd])$/.exec(text) ?? []
  if (number === undefined) return undefined
  // The expression takes the four units alone.
  const milliseconds = Number(number) * units[unit as keyof typeof units]
  return milliseconds <= longest ? milliseconds : undefined
}
