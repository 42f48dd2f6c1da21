import { readFileSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs'

/** @returns the open descriptors of a process: the paths of files, or names such as `socket:[1]` */
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

/** Reads resident memory (`VmRSS`), or its peak since the start or `resetPeak` (`VmHWM`), in MiB. */
export function memoryOf(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8')
  return Number(new RegExp(`^${name}:\\s+([0-9]+) kB$`, 'm').exec(status)?.[1]) / 1_024
}

/** Sets the peak to the resident memory of now: proc_pid_clear_refs(5), value 5. */
export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${String(pid)}/clear_refs`, '5')
}

/** Microseconds that a process ran, and microseconds that its threads waited for a processor. */
export interface Scheduling {
  running: number
  waiting: number
}

/**
 * Sums the first two numbers, nanoseconds, of the schedstat of each thread of a process
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

/** The children of a process's first thread (`children`, proc_pid_task(5)). */
export function childrenOf(parent: number): number[] {
  const children = readFileSync(`/proc/${String(parent)}/task/${String(parent)}/children`, 'utf8')
  return children.split(' ').filter(Boolean).map(Number)
}
