import { UsageError, readArguments, readInteger } from '../../scripts/command.ts'
import type { DatabaseLocation } from '../../src/store/location.ts'
import { openStore } from '../../src/store/open-store.ts'
import { report } from '../../test/support/run-named.ts'
import { countStatuses } from '../clients.ts'
import { Lab } from '../../test/support/server/lab.ts'
import { type Operation, type Verdict, checkHistory } from './check-history.ts'
import { ids } from './requests.ts'
import { Round, TestedServer, validToken } from './round.ts'

const usage = `Usage: npm run proofs -- linearizability [--rounds N] [--store sqlite|postgres]

Checks that the responses of two servers on one database to many clients are linearizable, and that no token passes
after it was revoked. Half of the rounds kill servers with SIGKILL. As a control, the same histories must fail the check
with lists that are up to 20 ms old, as a caching proxy would send them.

  --rounds N    how many rounds, 1 to 1000 (20); each takes one to three seconds
  --store NAME  sqlite (default), or postgres, which is started on a free port`

const keptMilliseconds = 20

/** How many servers are used, and how many of them are killed at once. The kinds take turns. */
const roundKinds = [
  { used: 2, killed: 0 },
  { used: 2, killed: 1 },
  { used: 1, killed: 0 },
  { used: 2, killed: 2 },
]

export async function run(args: string[]): Promise<void> {
  const options = { rounds: { type: 'string', default: '20' }, store: { type: 'string', default: 'sqlite' } } as const
  const { values } = readArguments(usage, { args, options })
  const rounds = readInteger(usage, '--rounds', values.rounds, 1, 1_000)
  if (values.store !== 'sqlite' && values.store !== 'postgres')
    throw new UsageError(`--store must be sqlite or postgres, not ${values.store}\n${usage}`)
  await using lab = await Lab.open()
  const { location, url } = await lab.database(values.store)
  // Otherwise, both servers would create the schema at once.
  await (await openStore(location, { onFault: () => undefined })).close()
  const start = () => lab.serve(url, 'server')
  await prove(location, [new TestedServer(start), new TestedServer(start)], rounds)
}

/** Runs rounds until something is not linearizable. */
async function prove(location: DatabaseLocation, servers: TestedServer[], rounds: number): Promise<void> {
  const done: Round[] = []
  const faults: string[] = []
  const stale = { plants: 0, tokens: 0 }
  while (done.length < rounds && faults.length === 0) {
    // The remainder is an index of the kinds.
    const { used, killed } = roundKinds[done.length % roundKinds.length]!
    const round = new Round(location, servers.slice(0, used), servers.slice(0, killed))
    await round.run(`round ${String(done.length)}`)
    done.push(round)
    faults.push(...describe('the plants of a round', checkPlants(round.plants)))
    faults.push(...round.tokens.flatMap((history) => describe('a token', checkToken(history))))
    if (checkPlants(keepLists(round.plants)).outcome === 'violated') stale.plants++
    stale.tokens += round.tokens.filter((history) => checkToken(keepLists(history)).outcome === 'violated').length
  }
  report(`rounds, in half of which servers are killed`, done.length)
  report('requests', countStatuses(done.flatMap(({ exchanges }) => exchanges)))
  const operations = done.flatMap(({ tokens }) => tokens.flat())
  const revocations = operations.filter(({ kind, to }) => kind === 'delete' && to < Infinity)
  report('tokens revoked', revocations.length)
  report('an order of what the clients saw', faults.length === 0 ? 'found' : faults.join('\n'), faults.length === 0)
  const found = `in ${String(stale.plants)} histories of plants, ${String(stale.tokens)} of tokens`
  report('control: stale lists detected', found, stale.plants > 0 && stale.tokens > 0)
}

function checkPlants(history: Operation[]): Verdict {
  return checkHistory(history, Array<string>(ids).fill(''))
}

function checkToken(history: Operation[]): Verdict {
  return checkHistory(history, [validToken])
}

/** The control fault: each list returns the content of a list that completed in the 20 ms before it. */
function keepLists(history: readonly Operation[]): Operation[] {
  const lists = history.filter((operation) => operation.kind === 'list').sort((a, b) => a.to - b.to)
  return history.map((operation) => {
    if (operation.kind !== 'list') return operation
    const kept = lists.find(({ to }) => to > operation.from - keptMilliseconds)
    return kept !== undefined && kept.to < operation.from ? { ...operation, names: kept.names } : operation
  })
}

/** @returns no line if the history is linearizable */
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

function describeOperation({ from, to, ...what }: Operation): string {
  return `${from.toFixed(3)}–${to.toFixed(3)} ms ${JSON.stringify(what)}`
}
