/** A stream that never has an item or a chunk, and how often it is closed. */
export function quiet() {
  const seen = { closed: 0 }
  const body = {
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.withResolvers().promise,
      return: () => {
        seen.closed++
        return Promise.resolve({ done: true, value: undefined })
      },
    }),
  }
  return { seen, body }
}
