import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UsageError, readArguments, readInteger, runCommand } from '../../scripts/command.ts'
import { createProgress } from '../../scripts/measure/report/progress.ts'
import { startPostgres } from '../../scripts/measure/servers/postgres-node.ts'
import { loadProcessor, serverProcessor, startArguments } from '../../scripts/measure/servers/server-process.ts'
import { openStore } from '../../src/store/open-store.ts'
import { Findings } from './findings.ts'
import type { TestedDatabase } from './revocations.ts'
import { runRound } from './round.ts'
import { TestedServer } from './tested-server.ts'

const usage = `Usage: node bench/linearizability/linearizability.ts [--rounds N] [--store sqlite|postgres] [--control]

Checks that what many clients see of the same plants, of two servers on one database, is what one store that does one
thing at a time could have answered; and that no token passes after it was revoked. In half of the rounds servers are
killed with SIGKILL.

  --rounds N    how many rounds, 1 to 1000 (20); each takes one to three seconds
  --store NAME  sqlite (default), or postgres, which is started on a free port
  --control     puts proxies that keep lists for 20 ms in front of the servers, and succeeds if that is found out`

async function run(): Promise<void> {
  const { values } = readArguments(usage, {
    options: {
      rounds: { type: 'string', default: '20' },
      store: { type: 'string', default: 'sqlite' },
      control: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(usage)
    return
  }
  const rounds = readInteger(usage, '--rounds', values.rounds, 1, 1_000)
  if (values.store !== 'sqlite' && values.store !== 'postgres')
    throw new UsageError(`--store must be sqlite or postgres, not ${values.store}\n${usage}`)
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-linearizability-'))
  const postgres = values.store === 'postgres' ? await startPostgres({ isDurable: false }) : undefined
  try {
    const file = join(folder, 'plants.db')
    const database: TestedDatabase =
      postgres === undefined
        ? { location: { engine: 'sqlite', file }, url: `sqlite:${file}` }
        : { location: { engine: 'postgres', url: postgres.url }, url: postgres.url }
    await runRounds(database, { rounds, isControl: values.control, logFile: join(folder, 'log') })
  } finally {
    await postgres?.remove()
    await rm(folder, { recursive: true })
  }
}

interface RunOptions {
  rounds: number
  isControl: boolean
  logFile: string
}

async function runRounds(database: TestedDatabase, { rounds, isControl, logFile }: RunOptions): Promise<void> {
  // Servers that begin at once would create the schema at once.
  await (await openStore(database.location, { onFault: () => undefined })).close()
  const command = {
    arguments: startArguments,
    environment: { DATABASE_URL: database.url, LOG_LEVEL: 'warn' },
    logFile,
    processors: `${serverProcessor},${loadProcessor}`,
  }
  const servers = [new TestedServer(command, isControl), new TestedServer(command, isControl)]
  const findings = new Findings()
  const progress = createProgress()
  try {
    for (let round = 0; round < rounds; round++) {
      progress.show(`round ${String(round + 1)} of ${String(rounds)}`)
      // As many as there are kinds.
      const { used, killed } = roundKinds[round % roundKinds.length]!
      const ofRound = isControl ? [] : servers.slice(0, killed)
      findings.add(await runRound(database, servers.slice(0, used), ofRound), ofRound.length > 0)
      if (!isControl && findings.faults().length > 0) break
    }
  } finally {
    progress.end()
    await Promise.all(servers.map((server) => server.stop()))
  }
  console.log(findings.summary())
  if (isControl) reportControl(findings)
  else report(findings)
}

/** To how many servers requests are sent, and how many of these are killed at once. The kinds take turns. */
const roundKinds = [
  { used: 2, killed: 0 },
  { used: 2, killed: 1 },
  { used: 1, killed: 0 },
  { used: 2, killed: 2 },
]

function report(findings: Findings): void {
  const faults = findings.faults()
  console.log(faults.length === 0 ? 'linearizable' : faults.join('\n'))
  if (faults.length > 0) process.exitCode = 1
}

function reportControl(findings: Findings): void {
  const [plants, tokens] = [findings.plants, findings.tokens].map(
    (verdicts) => verdicts.filter(({ outcome }) => outcome === 'violated').length,
  )
  console.log(`control: found in ${String(plants)} histories of plants and ${String(tokens)} of tokens`)
  if (plants !== 0 && tokens !== 0) return
  console.log(
    'The check is blind, or the rounds are too few: the servers were behind proxies that keep lists for 20 ms.',
  )
  process.exitCode = 1
}

await runCommand(run)
