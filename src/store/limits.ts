/**
 * The most writes that wait to be committed, and the most reads that wait for a connection to PostgreSQL. A further one
 * is `unavailable`.
 */
export const defaultMaxQueued = 10_000

/** How exact `StoredToken.lastUsedAt` is: a use less than this after the stored one is not stored. */
export const lastUsedResolutionMilliseconds = 60_000
