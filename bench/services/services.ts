import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { UsageError, readArguments, readInteger } from '../../scripts/command.ts'
import { pinned } from '../../test/support/server/lab.ts'
import { memoryOf, schedulingOf } from '../../test/support/server/process-figures.ts'
import { type ServerProcess, nodeBinary, projectFolder, startProcess } from '../../test/support/server/start-process.ts'
import { installPeers, measureRounds } from '../compare/compare.ts'
import { peersFolder } from '../compare/contenders.ts'
import type { Figures, Series, Target } from '../compare/figures.ts'
import { settleMilliseconds } from '../compare/measure.ts'
import { headOf, pageOf } from '../compare/page.ts'
import type { LoadOperation } from '../load/load.ts'
import { type LoadGenerator, startLoad } from '../load/start-load.ts'
import type { Kind } from '../peers/services/contract.ts'
import { bodyOf, listedRecords } from '../peers/services/records.ts'

/** A kind of load. */
interface Work {
  name: string
  title: string
  operation: LoadOperation
  connections: number
}

const kindTitles: Record<Kind, string> = {
  plain: 'objects of six members',
  int64: 'objects with an id of 64 bits',
  oneOf: 'objects of one of two kinds (oneOf)',
  large: 'objects in a body of 30 KB',
}

const works: readonly Work[] = [
  ...(['plain', 'int64', 'oneOf'] as const).flatMap((kind) => [list(kind, 32), create(kind, 32)]),
  create('large', 32),
  list('plain', 1),
  create('plain', 1),
]

function list(kind: Kind, connections: number): Work {
  const limit = String(listedRecords)
  const title = `list of ${limit} ${kindTitles[kind]}`
  return workOf(`${kind}-list`, title, { kind: 'list', path: `/${kind}?limit=${limit}` }, connections)
}

function create(kind: Kind, connections: number): Work {
  const operation = { kind: 'send', path: `/${kind}`, body: JSON.stringify(bodyOf(kind)) } as const
  return workOf(`${kind}-create`, `create of ${kindTitles[kind]}`, operation, connections)
}

function workOf(name: string, title: string, operation: LoadOperation, connections: number): Work {
  const isAlone = connections === 1
  const suffix = isAlone ? '-alone' : ''
  return {
    name: name + suffix,
    title: `${title}, ${String(connections)} connection${isAlone ? '' : 's'}`,
    operation,
    connections,
  }
}

const [serve, plugin, byHand] = ['serve', 'the plugin', 'Fastify by hand'] as const

/** The files of the servers, with their argument. */
const contenders: Record<string, [file: string, argument: string]> = {
  [serve]: ['services/own-server.ts', 'serve'],
  [plugin]: ['services/own-server.ts', 'plugin'],
  [byHand]: ['peers/services/server.ts', 'fastify'],
  'fastify-openapi-glue': ['peers/services/server.ts', 'fastify-openapi-glue'],
  'openapi-backend': ['peers/services/server.ts', 'openapi-backend'],
  'express-openapi-validator': ['peers/services/server.ts', 'express-openapi-validator'],
}

const targets: readonly Target[] = [
  target('plain-list', serve, 1.25),
  target('plain-create', serve, 1.3),
  target('plain-list-alone', serve, 1.15),
  target('plain-create-alone', serve, 1.3),
  target('plain-list', plugin, 1.15),
  target('plain-create', plugin, 1.25),
  target('plain-list-alone', plugin, 1.1),
  target('plain-create-alone', plugin, 1.2),
  { ...target('large-create', serve, 1.3), quantity: 'memory' },
  { ...target('large-create', plugin, 1.3), quantity: 'memory' },
]

function target(work: string, server: string, limit: number): Target {
  return { work, quantity: 'cpu', server, other: byHand, limit }
}

const titles = new Map(works.map(({ name, title }) => [name, title]))

const usage = `Usage: npm run bench -- services [--only WORK]... [--rounds N]
         measures the library and its peers on a service with its records in memory, and prints the figures; without
         --only it writes them to docs/bench/services.md after each work

  --only WORK        measure only this work; may be repeated
  --rounds N         how many rounds each work takes, 1 to 20 (6)

Works:
${[...titles].map(([name, title]) => `  ${name.padEnd(18)} ${title}`).join('\n')}`

const intro = `What the library itself costs, beside servers that do the same by hand or with other libraries. The records are in
memory, so a request costs little more than HTTP, validation and JSON. Fastify by hand validates requests and serializes
replies by its schemas, which it does not validate; fastify-openapi-glue does the same. openapi-backend validates requests
alone. The library and express-openapi-validator validate replies, too. The memory is what the process has after the work;
the works follow one another.`

/** So that the code of every server is compiled: the library has more of it than Fastify by hand. */
const warmUpMilliseconds = 2_000
const measuredMilliseconds = 150
/** More than are sent. */
const maxRequests = 1_000_000

export async function run(args: string[]): Promise<void> {
  const options = { only: { type: 'string', multiple: true }, rounds: { type: 'string', default: '6' } } as const
  const { only, ...values } = readArguments(usage, { args, options }).values
  const rounds = readInteger(usage, '--rounds', values.rounds, 1, 20)
  const unknown = only?.find((name) => !titles.has(name))
  if (unknown !== undefined) throw new UsageError(`there is no work ${unknown}\n${usage}`)
  installPeers()
  await using running = new AsyncDisposableStack()
  const servers: { contender: { name: string }; process: ServerProcess }[] = []
  for (const [name, [file, argument]] of Object.entries(contenders)) {
    const environment = { NODE_COMPILE_CACHE: join(peersFolder, '../../.cache/compiled-peers') }
    const command = [nodeBinary, join(projectFolder, 'bench', file), argument] as const
    const process = running.use(await startProcess(environment, pinned('server', command)))
    servers.push({ contender: { name }, process })
  }
  await using generator = startLoad()
  const series: Series[] = []
  const head = `${headOf('services', rounds, measuredMilliseconds)}\n\n${intro}`
  const page = () => pageOf({ head, series, titles, targets, own: serve })
  for (const work of works.filter(({ name }) => only?.includes(name) ?? true)) {
    const measured = await measureRounds(work.name, work.title, servers, rounds, ({ process }, round) =>
      measure(process, work, round === 0 ? warmUpMilliseconds : measuredMilliseconds, generator),
    )
    series.push(...measured)
    if (only === undefined) await writeFile(join(projectFolder, 'docs/bench/services.md'), page())
  }
  process.stdout.write(page())
}

/** @throws Error when a response is not 200 */
async function measure(
  { pid, port }: ServerProcess,
  { name, operation, connections }: Work,
  maxMilliseconds: number,
  generator: LoadGenerator,
): Promise<Figures> {
  const before = schedulingOf(pid)
  const job = { port, token: '', operation, connections, maxRequests, maxMilliseconds }
  const { requests, milliseconds, statuses } = await generator.run(job)
  if (statuses[200] !== requests)
    throw new Error(`${name}: the responses have the statuses ${JSON.stringify(statuses)}`)
  await sleep(settleMilliseconds)
  const after = schedulingOf(pid)
  return {
    cpu: (after.running - before.running) / requests,
    rate: (requests / milliseconds) * 1_000,
    waiting: (after.waiting - before.waiting) / (milliseconds * 10),
    memory: memoryOf(pid, 'VmRSS'),
  }
}
