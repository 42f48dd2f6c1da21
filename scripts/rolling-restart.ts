import { parseArgs } from 'node:util'
import { createProgress } from './bench/progress.ts'
import { proxyNames, versionOf } from './rolling-restart/proxy.ts'
import { type Outcome, rollingRestart } from './rolling-restart/rolling-restart.ts'

const usage = `Usage: npm run verify:proxies -- [--proxy nginx|haproxy] [--rounds N] [--restarts N] [--clients N]
    restarts two servers in turn behind each proxy, with the files of deploy/, and counts what is not answered 200; the exit code is 1 when there is any`

const { values } = parseArgs({
  options: {
    proxy: { type: 'string' },
    rounds: { type: 'string', default: '1' },
    restarts: { type: 'string', default: '6' },
    clients: { type: 'string', default: '32' },
  },
})
const rounds = Number(values.rounds)
const restarts = Number(values.restarts)
const clients = Number(values.clients)
const proxies = proxyNames.filter((name) => values.proxy === undefined || values.proxy === name)

if (proxies.length === 0 || ![rounds, restarts, clients].every((count) => Number.isInteger(count) && count > 0)) {
  console.error(usage)
  process.exitCode = 1
} else {
  const versions = await Promise.all(proxies.map(versionOf))
  const progress = createProgress()
  const rows: object[] = []
  let failed = 0
  for (let round = 1; round <= rounds; round++) {
    // In turn, so that whatever else the machine does meets both.
    for (const [index, proxy] of proxies.entries()) {
      const outcome = await rollingRestart({ proxy, restarts, clients }, progress.tell)
      rows.push({ proxy: versions[index], round, restarts, ...columnsOf(outcome) })
      failed += failuresOf(outcome)
    }
  }
  progress.end()
  console.table(rows)
  process.exitCode = failed === 0 ? 0 : 1
}

function columnsOf({ requests, seconds, statuses, errors, unclear, carriedOut }: Outcome): object {
  const { 502: bad = 0, 503: unavailable = 0, 504: late = 0, ...others } = statuses
  return {
    requests,
    seconds: Math.round(seconds),
    'status 502': bad,
    'status 503': unavailable,
    'status 504': late,
    'other status': Object.keys(others).length === 0 ? 0 : JSON.stringify(others),
    reset: Object.keys(errors).length === 0 ? 0 : JSON.stringify(errors),
    'creates unclear': unclear.length,
    'of them carried out': carriedOut,
  }
}

function failuresOf({ statuses, errors }: Outcome): number {
  return [...Object.values(statuses), ...Object.values(errors)].reduce((sum, count) => sum + count, 0)
}
