import { createProgress } from './bench/progress.ts'
import { measureOverload } from './overload/measure-overload.ts'

/** What has to be left of the best at twice the load that saturates. */
const wantedShare = 0.8

const progress = createProgress()
const { best, offered, good, refused, late, unsent, unanswered, worst } = await measureOverload(progress.tell)
progress.end()
const share = good / best
console.log(`best                ${String(Math.round(best))} creates a second`)
console.log(`offered             ${String(Math.round(offered))} a second, twice that, whether or not answers come`)
console.log(`good                ${String(Math.round(good))} a second answered 200 within a second: ${share.toFixed(2)} of the best, at least ${String(wantedShare)} wanted`)
console.log(`refused             ${String(Math.round(refused))} a second answered 503`)
console.log(`late                ${String(Math.round(late))} a second answered after more than a second; the longest wait was ${String(Math.round(worst))} ms`)
console.log(`not sent            ${String(Math.round(unsent))} a second found no free connection`)
console.log(`not answered        ${String(Math.round(unanswered))} a second still waited at the end`)
process.exitCode = share >= wantedShare ? 0 : 1
