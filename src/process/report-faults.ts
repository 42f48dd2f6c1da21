/** The shortest time between two reports of faults with the same code. */
const reportMilliseconds = 1_000

/**
 * Makes a function that reports faults: the first at once, and further ones with its code once a second.
 *
 * @param report receives the latest fault, and how many there were since the last report
 */
export function createReporter(report: (error: Error, faults: number) => void): (error: Error) => void {
  /** By code, while reports of it wait. */
  const waiting = new Map<string, { error: Error; faults: number }>()

  function reportNow(code: string, error: Error, faults: number): void {
    report(error, faults)
    const latest = { error, faults: 0 }
    waiting.set(code, latest)
    setTimeout(() => {
      waiting.delete(code)
      if (latest.faults > 0) reportNow(code, latest.error, latest.faults)
    }, reportMilliseconds).unref()
  }

  return (error) => {
    const code = 'code' in error ? String(error.code) : error.name
    const latest = waiting.get(code)
    if (latest === undefined) reportNow(code, error, 1)
    else Object.assign(latest, { error, faults: latest.faults + 1 })
  }
}
