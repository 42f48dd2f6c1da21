import { UsageError, readArguments, readInteger, runCommand } from '../command.ts'
import { createProgress } from './report/progress.ts'
import { proxyNames, versionOf } from './rolling-restart/proxy.ts'
import { type Outcome, rollingRestart } from './rolling-restart/rolling-restart.ts'

const usage = `Usage: npm run verify:proxies -- [--proxy nginx|haproxy] [--rounds N] [--restarts N] [--clients N]
         restarts two servers alternately behind each proxy, with the files of deploy/
         counts the answers other than 200; the exit code is 1 when there are any`

async function run(): Promise<void> {
  const { values } = readArguments(usage, {
    options: {
      proxy: { type: 'string' },
      rounds: { type: 'string', default: '1' },
      restarts: { type: 'string', default: '6' },
      clients: { type: 'string', default: '32' },
    },
  })
  const rounds = readInteger(usage, '--rounds', values.rounds, 1)
  const restarts = readInteger(usage, '--restarts', values.restarts, 1)
  const clients = readInteger(usage, '--clients', values.clients, 1)
  const proxies = proxyNames.filter((name) => values.proxy === undefined || values.proxy === name)
  if (proxies.length === 0) throw new UsageError(usage)
  const versions = await Promise.all(proxies.map(versionOf))
  const progress = createProgress()
  const rows: object[] = []
  let failed = 0
  for (let round = 1; round <= rounds; round++) {
    // Both proxies in each round: other work of the machine then disturbs both.
    for (const [index, proxy] of proxies.entries()) {
      const outcome = await rollingRestart({ proxy, restarts, clients }, progress.show)
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

await runCommand(run)
