import type { RunningServer } from '../server/served-database.ts'

/** What writers were told by a server, and what they were not told any more. */
export interface WriteRecord {
  created: Set<number>
  deleted: Set<number>
  /** Whose last write had no answer: it may have happened or not. */
  doubtful: Set<number>
  /** Every status that was answered. */
  statuses: Record<number, number>
}

export function emptyRecord(): WriteRecord {
  return { created: new Set(), deleted: new Set(), doubtful: new Set(), statuses: {} }
}

/**
 * Lets writers create plants one after the other, and delete every third again, until they are told to stop or have no
 * connection any more.
 *
 * @param server whom they write to
 * @param record what is told is added to it; ids that it has are not used again
 * @returns what tells them to stop, and waits for their last answers
 */
export function startWriters(server: RunningServer, record: WriteRecord, count = 32): () => Promise<void> {
  let next = record.created.size + record.doubtful.size
  let isStopped = false

  async function write(id: number, request: () => Promise<number>, told: Set<number>, success: number): Promise<void> {
    record.doubtful.add(id)
    const status = await request()
    record.doubtful.delete(id)
    record.statuses[status] = (record.statuses[status] ?? 0) + 1
    if (status === success) told.add(id)
  }

  async function run(): Promise<void> {
    try {
      while (!isStopped) {
        const id = next++
        await write(id, () => server.create(id), record.created, 200)
        if (id % 3 === 0 && record.created.has(id)) await write(id, () => server.remove(id), record.deleted, 204)
      }
    } catch {
      // The server is gone: what was asked last stays doubtful.
    }
  }

  const writers = Array.from({ length: count }, run)
  return async () => {
    isStopped = true
    await Promise.all(writers)
  }
}

/** What a server that keeps its word lists and does not list, against what it does. Both are empty when it keeps it. */
export function brokenPromises(
  { created, deleted, doubtful }: WriteRecord,
  names: string[],
): { lost: number[]; returned: number[] } {
  const listed = new Set(names.map(Number))
  return {
    lost: [...created].filter((id) => !deleted.has(id) && !doubtful.has(id) && !listed.has(id)),
    returned: [...deleted].filter((id) => listed.has(id)),
  }
}
