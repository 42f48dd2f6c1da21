import { type Result, isUntested } from '../../suite/run/result.ts'

/** 0 for a server that keeps its contract, 1 for one that breaks it, 2 where something was not tested, or not judged. */
export function exitCodeOf(results: readonly Result[]): 0 | 1 | 2 {
  const has = (verdict: Result['verdict']) => results.some((result) => result.verdict === verdict)
  if (has('fault')) return 1
  return !has('ok') || has('not judged') || results.some(isUntested) ? 2 : 0
}

/** Counts results by their verdicts, and faults by their kinds. */
export function tallyOf(results: readonly Result[]): string {
  const faults = results.filter((result) => result.verdict === 'fault')
  const all = faults.flatMap((result) => result.faults)
  const kinds = [...Map.groupBy(all, ({ kind }) => kind)].map(([kind, { length }]) => `${String(length)} ${kind}`)
  const count = (verdict: Result['verdict']) => results.filter((result) => result.verdict === verdict).length
  const [unjudged, untested] = [count('not judged'), results.filter(isUntested).length]
  return [
    `${String(count('ok'))} ok`,
    `${String(faults.length)} failed${kinds.length === 0 ? '' : ` (${kinds.join(', ')})`}`,
    ...(unjudged > 0 ? [`${String(unjudged)} not judged`] : []),
    ...(untested > 0 ? [`${String(untested)} not tested`] : []),
  ].join(', ')
}
