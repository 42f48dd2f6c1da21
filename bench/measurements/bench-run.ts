import type { LoadGenerator } from '../../scripts/measure/load/start-load.ts'

/** What all measurements of one run share. */
export interface BenchRun {
  /** A temporary folder for database files and logs. */
  folder: string
  rounds: number
  /** How long each measurement takes. */
  milliseconds: number
  generator: LoadGenerator
  onProgress: (what: string) => void
}

/** @param round from 0, the warm-up */
export function roundName(round: number, rounds: number): string {
  return round === 0 ? 'warm-up' : `round ${String(round)} of ${String(rounds)}`
}
