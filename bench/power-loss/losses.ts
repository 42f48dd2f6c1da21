import type { Loss } from './disk/rebuild.ts'

/** What a loss of power may leave of that which was not synced, from nothing to everything. */
export const losses: Loss[] = (['posix', 'ordered'] as const).flatMap((model): Loss[] => {
  const none: Loss = { model, names: 'none', bytes: 'none', grain: 4_096, keepsSize: false }
  const some: Loss = { ...none, names: 'some', bytes: 'some' }
  const both: Loss[] = [
    none,
    { ...none, names: 'all' },
    { ...none, bytes: 'all' },
    { ...none, names: 'all', bytes: 'all' },
    some,
    { ...some, grain: 512 },
    { ...some, names: 'all', grain: 512 },
  ]
  // In order, a file grows once its bytes are there.
  return model === 'ordered'
    ? both
    : [...both, { ...none, names: 'all', keepsSize: true }, { ...some, grain: 512, keepsSize: true }]
})
