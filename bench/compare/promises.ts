import { type Spread, spreadOf } from '../spread.ts'
import {
  type Contender,
  bunServe,
  expressOpenapiValidator,
  fastifyOpenapiGlue,
  nodeHttp,
  nodePeers,
  openapiBackendExample,
  own,
  ownUncached,
} from './contenders.ts'
import type { Figures } from './figures.ts'
import { titleOf } from './workloads.ts'

/** A promise about speed or memory. */
interface Promised {
  work: string
  promise: string
  /** What the median must be at most; with `isFloor` at least. */
  limit: number
  isFloor?: boolean
  /** What a run has reached; undefined where it was not measured. */
  reached: (figures: Figures) => Spread | undefined
  digits?: number
  unit?: string
}

const promises: Promised[] = [
  cpu('list-20', 0.9, nodeHttp),
  cpu('list-20', 0.5, openapiBackendExample),
  cpu('list-20', 0.35, expressOpenapiValidator),
  cpu('list-1000', 0.4, nodeHttp),
  cpu('list-1', 1.05, nodeHttp),
  cpu('list-1', 1, fastifyOpenapiGlue),
  ...(['create', 'delete'] as const).flatMap((kind) => [
    { ...cpu(kind, 0.4, ...nodePeers), promise: 'CPU ≤ 0.40 of any peer on Node' },
    { ...rate(kind, 4), promise: 'requests a second ≥ 4 times any peer on Node' },
    { ...rate(`${kind}-alone`, 1), promise: 'requests a second ≥ any peer on Node' },
  ]),
  cpu('list-20', 1, bunServe),
  cpu('list-1000', 1, bunServe),
  cpu('create', 1, bunServe),
  cpu('delete', 1, bunServe),
  cpu('list-1', 1.2, bunServe),
  cpu('list-20-alone', 1, nodeHttp),
  cpu('create-alone', 1, nodeHttp),
  cpu('delete-alone', 1, nodeHttp),
  {
    work: '1,000 operations in the contract',
    promise: 'CPU ≤ 1.10 of that with 3',
    limit: 1.1,
    reached: ({ operations }) => operations,
  },
  million('at most 64 MiB above idle', 64, 'MiB', ({ memoryAboveIdle }) => memoryAboveIdle / 2 ** 20),
  million('first byte within 50 ms', 50, 'ms', ({ firstByteMilliseconds }) => firstByteMilliseconds),
  million(
    "another caller's slowest request meanwhile within 100 ms",
    100,
    'ms',
    ({ slowestOtherMilliseconds }) => slowestOtherMilliseconds,
  ),
  ...(['list', 'create'] as const).map((kind) => ({
    work: `${kind === 'list' ? 'list 20' : kind}, 10,000,000 plants in the file`,
    promise: 'CPU ≤ 1.30 of that at 1,000',
    limit: 1.3,
    reached: ({ huge }: Figures) => huge?.[kind],
  })),
  start('start', 300, own),
  start('start without the compile cache', 400, ownUncached),
  memory('memory, idle', 1.2, 'idle'),
  memory('memory, peak under all workloads', 1, 'peak'),
]

/** A promise that was measured. */
export interface MeasuredPromise {
  work: string
  promise: string
  /** The median with the lowest and the highest value. */
  reached: string
  isKept: boolean
}

/** Every promise that a run has measured. */
export function promisesOf(figures: Figures): MeasuredPromise[] {
  return promises.flatMap(({ work, promise, limit, isFloor = false, reached, digits = 2, unit = '' }) => {
    const spread = reached(figures)
    if (spread === undefined) return []
    const isKept = isFloor ? spread.median >= limit : spread.median <= limit
    return { work, promise, reached: `${spreadText(spread, digits)} ${unit}`.trim(), isKept }
  })
}

/** CPU in a workload, beside that of the peer that does best there. */
function cpu(workload: string, limit: number, ...peers: Contender[]): Promised {
  return {
    work: titleOf(workload),
    promise: `CPU ≤ ${limit.toFixed(2)} of ${peers.map(({ name }) => name).join()}`,
    limit,
    reached: (figures) => ratiosTo(figures, workload, 'microseconds', peers).at(-1),
  }
}

/** Requests a second in a workload, beside those of the fastest peer on Node. */
function rate(workload: string, limit: number): Omit<Promised, 'promise'> {
  return {
    work: titleOf(workload),
    limit,
    isFloor: true,
    reached: (figures) => ratiosTo(figures, workload, 'requestsPerSecond', nodePeers)[0],
  }
}

/** The project's figure divided by that of each peer, the lowest first. */
function ratiosTo(
  { throughput }: Figures,
  workload: string,
  quantity: 'microseconds' | 'requestsPerSecond',
  peers: readonly Contender[],
): Spread[] {
  const names = peers.map(({ name }) => name)
  return throughput
    .filter((entry) => entry.workload === workload && names.includes(entry.contender))
    .flatMap(({ ratios }) => ratios?.[quantity] ?? [])
    .sort((one, other) => one.median - other.median)
}

function million(
  promise: string,
  limit: number,
  unit: string,
  figure: (figures: NonNullable<Figures['million']>[number]) => number,
): Promised {
  const reached = ({ million: measured = [] }: Figures) => {
    const ours = measured.find(({ contender }) => contender === own.name)
    return ours && spreadOf([figure(ours)])
  }
  return { work: 'list of 1,000,000 plants', promise, limit, unit, digits: 1, reached }
}

function start(work: string, limit: number, { name }: Contender): Promised {
  return {
    work,
    promise: `first answer within ${String(limit)} ms`,
    limit,
    reached: ({ start: measured }) => measured?.find(({ contender }) => contender === name)?.milliseconds,
    digits: 0,
    unit: 'ms',
  }
}

function memory(work: string, limit: number, which: 'idle' | 'peak'): Promised {
  const reached = ({ memory: measured }: Figures) => {
    const of = ({ name }: Contender) => measured.find(({ contender }) => contender === name)?.[which]
    const [ours, theirs] = [of(own), of(nodeHttp)]
    return ours === undefined || theirs === undefined ? undefined : spreadOf([ours / theirs])
  }
  return { work, promise: `≤ ${limit.toFixed(2)} of ${nodeHttp.name}`, limit, reached }
}

/** A median with the lowest and the highest value, where there are several. */
export function spreadText({ median, lowest, highest }: Spread, digits: number): string {
  const text = median.toFixed(digits)
  return lowest === highest ? text : `${text} (${lowest.toFixed(digits)}–${highest.toFixed(digits)})`
}
