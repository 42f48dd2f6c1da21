import { join } from 'node:path'
import { UsageError, readArguments, readInteger } from '../../scripts/command.ts'
import { type DatabaseLocation, openStore } from '../../src/store/open-store.ts'
import { Lab } from '../lab/lab.ts'
import { startPostgres } from '../../test/support/server/postgres-node.ts'
import { type Operation, type Verdict, checkHistory, checkPlants } from './check-history.ts'
import { ids } from './requests.ts'
import { type RoundHistory, TestedServer, runRound, validToken } from './round.ts'

const usage = `Usage: npm run bench -- linearizability [--rounds N] [--store sqlite|postgres] [--control]

Checks that what many clients see of the same plants, of two servers on one database, is what one store that does one
thing at a time could have answered; and that no token passes after it was revoked. In half of the rounds servers are
killed with SIGKILL.

  --rounds N    how many rounds, 1 to 1000 (20); each takes one to three seconds
  --store NAME  sqlite (default), or postgres, which is started on a free port
  --control     keeps lists for 20 ms, as a proxy with a fault would, and succeeds if that is found out`

/** To how many servers requests are sent, and how many of these are killed at once. The kinds take turns. */
const roundKinds = [
  { used: 2, killed: 0 },
  { used: 2, killed: 1 },
  { used: 1, killed: 0 },
  { used: 2, killed: 2 },
]

export async function run(args: string[]): Promise<void> {
  const { values } = readArguments(usage, {
    args,
    options: {
      rounds: { type: 'string', default: '20' },
      store: { type: 'string', default: 'sqlite' },
      control: { type: 'boolean', default: false },
    },
  })
  const rounds = readInteger(usage, '--rounds', values.rounds, 1, 1_000)
  if (values.store !== 'sqlite' && values.store !== 'postgres')
    throw new UsageError(`--store must be sqlite or postgres, not ${values.store}\n${usage}`)
  await using cleanup = new AsyncDisposableStack()
  const postgres = values.store === 'postgres' ? cleanup.use(await startPostgres({ isDurable: false })) : undefined
  const lab = cleanup.use(await Lab.open())
  const file = join(lab.folder, 'plants.db')
  const location: DatabaseLocation =
    postgres === undefined ? { engine: 'sqlite', file } : { engine: 'postgres', url: postgres.url }
  // Servers that begin at once would create the schema at once.
  await (await openStore(location, { onFault: () => undefined })).close()
  const start = () => lab.serve(postgres?.url ?? `sqlite:${file}`, 'server')
  const servers = Array.from({ length: 2 }, () => new TestedServer(start))
  if (values.control) await control(location, servers, rounds)
  else await prove(location, servers, rounds)
}

/** Runs rounds until something is not linearizable. The exit code is 1 then. */
async function prove(location: DatabaseLocation, servers: TestedServer[], rounds: number): Promise<void> {
  const histories: RoundHistory[] = []
  let killedRounds = 0
  let faults: string[] = []
  for (let round = 0; round < rounds && faults.length === 0; round++) {
    // There are as many kinds as remainders.
    const { used, killed } = roundKinds[round % roundKinds.length]!
    if (killed > 0) killedRounds++
    const history = await runRound(location, servers.slice(0, used), servers.slice(0, killed))
    histories.push(history)
    const { plants, tokens } = verdictsOn(history)
    faults = [
      ...describe('the plants of a round', plants),
      ...tokens.flatMap((verdict) => describe('a token', verdict)),
    ]
  }
  console.log(`${String(histories.length)} rounds, ${String(killedRounds)} with SIGKILL; ${summaryOf(histories)}`)
  console.log(faults.length === 0 ? 'linearizable' : faults.join('\n'))
  if (faults.length > 0) process.exitCode = 1
}

/** Runs rounds on servers with a fault. The exit code is 1 if it is not found. */
async function control(location: DatabaseLocation, servers: TestedServer[], rounds: number): Promise<void> {
  const found = { plants: 0, tokens: 0 }
  for (let round = 0; round < rounds; round++) {
    const { plants, tokens } = verdictsOn(await runRound(location, servers, [], true))
    if (plants.outcome === 'violated') found.plants++
    found.tokens += tokens.filter(({ outcome }) => outcome === 'violated').length
  }
  console.log(`control: found in ${String(found.plants)} histories of plants and ${String(found.tokens)} of tokens`)
  if (found.plants > 0 && found.tokens > 0) return
  console.log('The check is blind, or the rounds are too few: lists are kept for 20 ms.')
  process.exitCode = 1
}

function verdictsOn({ plants, tokens }: RoundHistory): { plants: Verdict; tokens: Verdict[] } {
  return { plants: checkPlants(plants, ids), tokens: tokens.map((history) => checkHistory(history, [validToken])) }
}

function summaryOf(histories: RoundHistory[]): string {
  const statuses: Record<string, number> = {}
  for (const [status, count] of histories.flatMap((history) => Object.entries(history.statuses)))
    statuses[status] = (statuses[status] ?? 0) + count
  const requests = Object.values(statuses).reduce((sum, count) => sum + count, 0)
  const counts = Object.entries(statuses).map(([status, count]) => `${status}: ${String(count)}`)
  const revoked = histories
    .flatMap(({ tokens }) => tokens.flat())
    .filter(({ kind, answer }) => kind === 'delete' && answer < Infinity)
  return `${String(requests)} requests (${counts.join(', ')}); ${String(revoked.length)} tokens revoked`
}

/** @returns nothing of what is linearizable */
function describe(what: string, verdict: Verdict): string[] {
  switch (verdict.outcome) {
    case 'linearizable':
      return []
    case 'undecided':
      return [`${what}: not decided, because the search takes too long; fewer clients in round.ts make it shorter`]
    case 'violated': {
      const next = verdict.next.map((operation) => `\n  ${describeOperation(operation)}`).join('')
      return [`${what}: not linearizable; no order leads beyond ${JSON.stringify(verdict.state)}, before${next}`]
    }
  }
}

function describeOperation({ call, answer, ...what }: Operation): string {
  return `${call.toFixed(3)}–${answer.toFixed(3)} ms ${JSON.stringify(what)}`
}
