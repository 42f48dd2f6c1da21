import { join } from 'node:path'
import { readArguments, readInteger } from '../../scripts/command.ts'
import { pinned } from '../../test/support/server/lab.ts'
import { memoryOf, resetPeak, schedulingOf } from '../../test/support/server/process-figures.ts'
import { type ServerProcess, nodeBinary, projectFolder, startProcess } from '../../test/support/server/start-process.ts'
import { spreadOf, spreadText } from '../compare/figures.ts'

const usage = `Usage: npm run bench -- streams [--items N] [--rounds N]   what a small item of a stream costs

  --items N    how many items a stream has (1000000)
  --rounds N   how many streams each server sends (5)`

const contenders = ['library', 'by hand'] as const
type Contender = (typeof contenders)[number]

/** What a stream costs: CPU of an item in microseconds, and the growth of memory in MiB. */
interface Cost {
  cpu: number
  growth: number
}

export async function run(args: string[]): Promise<void> {
  const options = {
    items: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '5' },
  } as const
  const { values } = readArguments(usage, { args, options })
  const items = readInteger(usage, '--items', values.items, 1_000)
  const rounds = readInteger(usage, '--rounds', values.rounds, 1, 20)
  await using running = new AsyncDisposableStack()
  const servers = new Map<Contender, ServerProcess>()
  for (const contender of contenders) {
    const file = join(projectFolder, 'bench/streams/stream-server.ts')
    const command = pinned('server', [nodeBinary, file, contender, String(items)])
    servers.set(contender, running.use(await startProcess({}, command)))
  }
  const costs: Record<Contender, Cost>[] = []
  // The first round compiles the code.
  for (let round = 0; round <= rounds; round++) {
    const measured: [Contender, Cost][] = []
    for (const [contender, server] of servers) measured.push([contender, await measure(server, items)])
    // There is one for each contender.
    if (round > 0) costs.push(Object.fromEntries(measured) as Record<Contender, Cost>)
  }
  const print = (what: string, valueOf: (of: Record<Contender, Cost>) => number, digits: number) => {
    console.log(`${what.padEnd(44)} ${spreadText(spreadOf(costs.map(valueOf)), digits)}`)
  }
  for (const contender of contenders) {
    print(`${contender}: CPU of an item, in µs`, (of) => of[contender].cpu, 2)
    print(`${contender}: growth of memory, in MiB`, (of) => of[contender].growth, 0)
  }
  print('CPU of an item, library / by hand', (of) => of.library.cpu / of['by hand'].cpu, 2)
}

async function measure({ pid, origin }: ServerProcess, items: number): Promise<Cost> {
  const [before, memory] = [schedulingOf(pid), memoryOf(pid, 'VmRSS')]
  resetPeak(pid)
  let lines = 0
  const response = await fetch(`${origin}/items`)
  // A response to GET has a body.
  for await (const chunk of response.body!) for (const byte of chunk) if (byte === lineFeed) lines++
  if (lines !== items) throw new Error(`received ${String(lines)} items of ${String(items)}`)
  const cpu = (schedulingOf(pid).running - before.running) / items
  return { cpu, growth: memoryOf(pid, 'VmHWM') - memory }
}

const lineFeed = 0x0a
