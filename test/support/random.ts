/** Random draws, which depend only on the seed. */
export interface Random {
  /** An integer from 0 to `limit` - 1. */
  below: (limit: number) => number
  /** One of the items. */
  one: <Item>(items: readonly Item[]) => Item
}

/** Creates a generator of random numbers: mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return { below, one: (items) => items[below(items.length)]! }
}
