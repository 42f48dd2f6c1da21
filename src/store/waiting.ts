/** The default of `StoreOptions.maxQueued`. */
export const defaultMaxQueued = 10_000

/** A queued item, and the functions that settle its promise. */
export interface Waiting<Item, Outcome> {
  item: Item
  resolve: (outcome: Outcome | 'unavailable') => void
  reject: (error: unknown) => void
}

/** Resolves every item to `unavailable`. */
export function refuse(batch: Waiting<unknown, never>[]): void {
  for (const { resolve } of batch) resolve('unavailable')
}
