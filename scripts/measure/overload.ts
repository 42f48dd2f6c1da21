import { createProgress } from './report/progress.ts'
import { type OverloadRound, measureOverload } from './overload/measure-overload.ts'
import { spreadOf } from './report/spread.ts'

/** What has to be left of the best at twice the load that saturates. */
const wantedShare = 0.8

const progress = createProgress()
const rounds = await measureOverload(progress.tell)
progress.end()

function tell(name: string, valueOf: (round: OverloadRound) => number, meaning: string): void {
  const { median, lowest, highest } = spreadOf(rounds.map(valueOf))
  console.log(
    `${name.padEnd(14)}${String(Math.round(median)).padStart(6)} (${String(Math.round(lowest))}–${String(Math.round(highest))}) ${meaning}`,
  )
}

tell('best', ({ best }) => best, 'creates a second, for clients that wait for their answers')
tell('offered', ({ offered }) => offered, 'a second, twice that, whether or not answers come')
tell('good', ({ good }) => good, 'a second answered 200 within a second')
tell('refused', ({ refused }) => refused, 'a second answered 503')
tell('late', ({ late }) => late, 'a second answered after more than a second')
tell('longest wait', ({ worst }) => worst, 'ms, of an answer that was no refusal')
tell('not sent', ({ unsent }) => unsent, 'a second found no free connection')
tell('not answered', ({ unanswered }) => unanswered, 'a second still waited at the end')
const { median, lowest, highest } = spreadOf(rounds.map(({ good, best }) => good / best))
console.log(
  `share         ${median.toFixed(2)} (${lowest.toFixed(2)}–${highest.toFixed(2)}) of the best was good, at least ${String(wantedShare)} wanted; medians of ${String(rounds.length)} rounds (lowest–highest)`,
)
process.exitCode = median >= wantedShare ? 0 : 1
