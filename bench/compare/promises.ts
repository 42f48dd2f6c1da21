import type { Spread } from '../spread.ts'
import {
  bunServe,
  expressOpenapiValidator,
  fastifyOpenapiGlue,
  nodeHttp,
  nodePeers,
  openapiBackendExample,
  own,
  ownUncached,
} from './contenders.ts'
import type { Figures, ThroughputFigures } from './figures.ts'
import { titleOf } from './workloads.ts'

/** A promise about speed or memory, and what a run has reached. */
export interface Kept {
  work: string
  promise: string
  reached: string
  isKept: boolean
}

/** A figure that a run has reached, and the text that shows it. */
interface Reached {
  value: number
  text: string
}

/** A promise. `reached` gives nothing where it was not measured. */
interface Promised {
  work: string
  promise: string
  isKept: (value: number) => boolean
  reached: (figures: Figures) => Reached | undefined
}

const promises: Promised[] = [
  cpu('list-20', 0.9, nodeHttp.name),
  cpu('list-20', 0.5, openapiBackendExample.name),
  cpu('list-20', 0.35, expressOpenapiValidator.name),
  cpu('list-1000', 0.4, nodeHttp.name),
  cpu('list-1', 1.05, nodeHttp.name),
  cpu('list-1', 1, fastifyOpenapiGlue.name),
  ...writes('create'),
  ...writes('delete'),
  cpu('list-20', 1, bunServe.name),
  cpu('list-1000', 1, bunServe.name),
  cpu('create', 1, bunServe.name),
  cpu('delete', 1, bunServe.name),
  cpu('list-1', 1.2, bunServe.name),
  cpu('list-20-alone', 1, nodeHttp.name),
  cpu('create-alone', 1, nodeHttp.name),
  cpu('delete-alone', 1, nodeHttp.name),
  pair('1,000 operations in the contract', 'that with 3', 1.1, ({ operations }) => operations),
  million('at most 64 MiB above idle', 64, ({ memoryAboveIdle }) => memoryAboveIdle / 2 ** 20, ' MiB'),
  million('first byte within 50 ms', 50, ({ firstByteMilliseconds }) => firstByteMilliseconds, ' ms'),
  million(
    "another caller's request meanwhile within 100 ms",
    100,
    ({ slowestOtherMilliseconds }) => slowestOtherMilliseconds,
    ' ms at the slowest',
  ),
  pair('list 20, 10,000,000 plants in the file', 'that at 1,000', 1.3, ({ huge }) => huge?.list),
  pair('create, 10,000,000 plants in the file', 'that at 1,000', 1.3, ({ huge }) => huge?.create),
  start('start', 300, own.name),
  start('start without the compile cache', 400, ownUncached.name),
  memory('memory, idle', 1.2, 'idle'),
  memory('memory, peak under all workloads', 1, 'peak'),
]

/** Every promise that a run has measured. */
export function promisesOf(figures: Figures): Kept[] {
  return promises.flatMap(({ work, promise, isKept, reached }) => {
    const found = reached(figures)
    return found === undefined ? [] : { work, promise, reached: found.text, isKept: isKept(found.value) }
  })
}

function atMost(limit: number): (value: number) => boolean {
  return (value) => value <= limit
}

function cpu(workload: string, limit: number, peer: string): Promised {
  return {
    work: titleOf(workload),
    promise: `CPU ≤ ${limit.toFixed(2)} of ${peer}`,
    isKept: atMost(limit),
    reached: ({ throughput }) =>
      ratio(throughput.find((entry) => entry.workload === workload && entry.contender === peer)?.ratios?.microseconds),
  }
}

/** The promises about creates or deletes are kept where they are kept beside each peer on Node. */
function writes(workload: string): Promised[] {
  const rate = (of: string) => (figures: Figures) =>
    ratio(
      ratiosToPeers(figures, of, 'requestsPerSecond').sort((a, b) => a.median - b.median)[0],
      ' times the fastest peer',
    )
  return [
    {
      work: titleOf(workload),
      promise: 'CPU ≤ 0.40 of any peer on Node',
      isKept: atMost(0.4),
      reached: (figures) =>
        ratio(
          ratiosToPeers(figures, workload, 'microseconds').sort((a, b) => b.median - a.median)[0],
          ' of the best peer',
        ),
    },
    {
      work: titleOf(workload),
      promise: 'requests a second ≥ 4 times any peer on Node',
      isKept: (value) => value >= 4,
      reached: rate(workload),
    },
    {
      work: titleOf(`${workload}-alone`),
      promise: 'requests a second ≥ any peer on Node',
      isKept: (value) => value >= 1,
      reached: rate(`${workload}-alone`),
    },
  ]
}

function ratiosToPeers(
  { throughput }: Figures,
  workload: string,
  quantity: keyof NonNullable<ThroughputFigures['ratios']>,
): Spread[] {
  const names = nodePeers.map(({ name }) => name)
  return throughput
    .filter((entry) => entry.workload === workload && names.includes(entry.contender))
    .flatMap(({ ratios }) => ratios?.[quantity] ?? [])
}

function pair(work: string, other: string, limit: number, spread: (figures: Figures) => Spread | undefined): Promised {
  return {
    work,
    promise: `CPU ≤ ${limit.toFixed(2)} of ${other}`,
    isKept: atMost(limit),
    reached: (figures) => ratio(spread(figures)),
  }
}

function million(
  promise: string,
  limit: number,
  figure: (figures: NonNullable<Figures['million']>[number]) => number,
  unit: string,
): Promised {
  return {
    work: 'list of 1,000,000 plants',
    promise,
    isKept: atMost(limit),
    reached: ({ million: measured }) => {
      const ours = measured?.find(({ contender }) => contender === own.name)
      return ours && { value: figure(ours), text: `${figure(ours).toFixed(1)}${unit}` }
    },
  }
}

function start(work: string, limit: number, name: string): Promised {
  return {
    work,
    promise: `first answer within ${String(limit)} ms`,
    isKept: atMost(limit),
    reached: ({ start: measured }) => {
      const spread = measured?.find(({ contender }) => contender === name)?.milliseconds
      return spread && { value: spread.median, text: `${spreadText(spread, 0)} ms` }
    },
  }
}

function memory(work: string, limit: number, which: 'idle' | 'peak'): Promised {
  return {
    work,
    promise: `≤ ${limit.toFixed(2)} of ${nodeHttp.name}`,
    isKept: atMost(limit),
    reached: ({ memory: measured }) => {
      const [ours, theirs] = [own, nodeHttp].map(
        ({ name }) => measured.find(({ contender }) => contender === name)?.[which],
      )
      if (ours === undefined || theirs === undefined) return undefined
      return { value: ours / theirs, text: (ours / theirs).toFixed(2) }
    },
  }
}

function ratio(spread: Spread | undefined, unit = ''): Reached | undefined {
  return spread && { value: spread.median, text: `${spreadText(spread, 2)}${unit}` }
}

/** A median with the lowest and the highest value. */
export function spreadText({ median, lowest, highest }: Spread, digits: number): string {
  return `${median.toFixed(digits)} (${lowest.toFixed(digits)}–${highest.toFixed(digits)})`
}
