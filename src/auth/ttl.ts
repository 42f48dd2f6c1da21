const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** A hundred years of 365 days. A longer time is probably a typing error. */
const maxTtl = 36_500 * units.d

/**
 * Reads a token's time to live.
 *
 * @param text a whole number of seconds, minutes, hours or days: `90s`, `15m`, `12h`, `30d`
 * @returns milliseconds, or undefined if the text has another form or the time is longer than 36500 days
 */
export function readTtl(text: string): number | undefined {
  const [, number, unit] = /^([1-9][0-9]*)([smhd])$/.exec(text) ?? []
  if (number === undefined) return undefined
  // The expression matches these four units only.
  const milliseconds = Number(number) * units[unit as keyof typeof units]
  return milliseconds <= maxTtl ? milliseconds : undefined
}
