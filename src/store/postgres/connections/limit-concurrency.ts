/** Runs asynchronous functions, at most `max` at a time. The others wait, first come first served. */
export function limitConcurrency(max: number): <Result>(run: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (run) => {
    if (running < max) running++
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await run()
    } finally {
      // The next one runs instead, so `running` stays the same.
      const next = waiting.shift()
      if (next === undefined) running--
      else next()
    }
  }
}
