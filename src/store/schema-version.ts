import { UnusableStore } from './store.ts'

/** Added to the version of the schema while `npm run move` fills a store. No release knows such a version. */
const unfinished = 1_000_000

/** Marks a store whose schema has this version as the target of a move that has not finished. */
export function unfinishedVersion(version: number): number {
  return unfinished + version
}

/** How a store is opened. */
export interface OpenOptions {
  /** Whether to fill the store from another one, also if an earlier move into it did not finish. */
  isMoveTarget?: boolean
}

/**
 * Refuses a store that a newer release has migrated, and one that a move has not filled yet.
 *
 * @param place the store's name in messages
 * @param newest the newest version that this release knows
 * @throws UnusableStore
 */
export function assertKnownVersion(
  place: string,
  version: number,
  newest: number,
  { isMoveTarget = false }: OpenOptions,
): void {
  if (version <= newest || (isMoveTarget && version === unfinishedVersion(newest))) return
  throw new UnusableStore(
    version > unfinished
      ? `${place} has only a part of the data: a move into it did not finish; run npm run move again, with the same ` +
          'release; nothing was changed'
      : `${place} has schema version ${String(version)}, but this release knows versions up to ${String(newest)}: ` +
          'start a newer release, or, if it is of another branch, npm run dev -- --fresh; nothing was changed',
  )
}
