import { readFileSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs'

/** What a process has open: the path of a file, or a word such as `socket:[1]`. */
export function descriptorsOf(pid: number): string[] {
  const folder = `/proc/${String(pid)}/fd`
  return readdirSync(folder).flatMap((descriptor) => {
    try {
      return [readlinkSync(`${folder}/${descriptor}`)]
    } catch {
      // It was closed meanwhile.
      return []
    }
  })
}

/** Resident memory now, or the most since the start or `resetPeak`, in MiB. */
export function memoryOf(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8')
  return Number(new RegExp(`^${name}:\\s+([0-9]+) kB$`, 'm').exec(status)?.[1]) / 1_024
}

/** Sets the peak to what is resident now: 5, in the words of proc_pid_clear_refs(5). */
export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${String(pid)}/clear_refs`, '5')
}

/** Microseconds on a processor, and microseconds ready to run while the processor was another's. */
export interface Scheduling {
  running: number
  waiting: number
}

/**
 * What all threads of a process together had so far: the first two numbers of each thread's schedstat, in nanoseconds
 * (Documentation/scheduler/sched-stats.rst).
 */
export function schedulingOf(pid: number): Scheduling {
  const folder = `/proc/${String(pid)}/task`
  const threads = readdirSync(folder).map((thread) =>
    readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ').map(Number),
  )
  return { running: sumOf(threads, 0) / 1_000, waiting: sumOf(threads, 1) / 1_000 }
}

function sumOf(rows: number[][], column: number): number {
  return rows.reduce((sum, row) => sum + (row[column] ?? 0), 0)
}

/** Microseconds on a processor that each process of a tree had so far, by its id. */
export type ProcessTimes = ReadonlyMap<number, number>

/**
 * Reads the times of a process and of those that its first thread has begun (`children`, proc_pid_task(5)), as all of
 * PostgreSQL's are.
 */
export function processTimes(parent: number): ProcessTimes {
  const children = readFileSync(`/proc/${String(parent)}/task/${String(parent)}/children`, 'utf8')
    .split(' ')
    .filter((id) => id !== '')
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

/**
 * What a tree used between two readings, in microseconds. Of a process that ended between them nothing is known, and
 * nothing counted.
 */
export function timeBetween(before: ProcessTimes, after: ProcessTimes): number {
  return [...after].reduce((sum, [id, time]) => sum + time - (before.get(id) ?? 0), 0)
}
