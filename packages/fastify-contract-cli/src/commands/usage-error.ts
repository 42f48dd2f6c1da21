/** A command cannot do what its arguments ask for. The message says why, and what to do. */
export class UsageError extends Error {}
