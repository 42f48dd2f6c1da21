/** Runs asynchronous work, at most `max` pieces of it at a time; the others wait in their order. */
export function limitConcurrency(max: number): <Result>(run: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (run) => {
    if (running < max) running++
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await run()
    } finally {
      // The next one takes the place over.
      const next = waiting.shift()
      if (next === undefined) running--
      else next()
    }
  }
}
