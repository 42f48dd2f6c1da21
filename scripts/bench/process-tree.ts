import { readFileSync } from 'node:fs'
import { schedulingOf } from './server-process.ts'

/** Microseconds on a processor that each process of a tree had so far, by its id. */
export type ProcessTimes = ReadonlyMap<number, number>

/** Reads the times of a process and of those that its first thread has begun (`children`, proc_pid_task(5)), as all of PostgreSQL's are. */
export function processTimes(parent: number): ProcessTimes {
  const children = readFileSync(`/proc/${String(parent)}/task/${String(parent)}/children`, 'utf8').split(' ').filter((id) => id !== '')
  const times = new Map<number, number>()
  for (const id of [parent, ...children.map(Number)]) {
    try {
      times.set(id, schedulingOf(id).running)
    } catch (error) {
      // It has ended since it was listed.
      if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
  }
  return times
}

/** What a tree used between two readings, in microseconds. Of a process that ended between them nothing is known, and nothing counted. */
export function timeBetween(before: ProcessTimes, after: ProcessTimes): number {
  return [...after].reduce((sum, [id, time]) => sum + time - (before.get(id) ?? 0), 0)
}
