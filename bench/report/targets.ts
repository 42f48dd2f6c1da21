import {
  expressOpenapiValidator,
  fastifyOpenapiGlue,
  nodeHttp,
  openapiBackendExample,
  own,
  peers,
} from '../contenders/contenders.ts'
import type { Spread } from '../../scripts/measure/report/spread.ts'
import type { Figures } from './figures.ts'
import { workloads } from '../workloads.ts'

/** A promise about speed or memory, and the result of a run. */
export interface Target {
  work: string
  promise: string
  /** The result with its unit; undefined when it was not measured. */
  reached: string | undefined
  isKept: boolean | undefined
}

type Quantity = 'microseconds' | 'requestsPerSecond'

/** Lists every promise, measured or not. */
export function targetsOf(figures: Figures): Target[] {
  return [
    cpuTarget(figures, 'list-20', 0.9, nodeHttp.name),
    cpuTarget(figures, 'list-20', 0.5, openapiBackendExample.name),
    cpuTarget(figures, 'list-20', 0.35, expressOpenapiValidator.name),
    cpuTarget(figures, 'list-1000', 0.4, nodeHttp.name),
    cpuTarget(figures, 'list-1', 1.05, nodeHttp.name),
    cpuTarget(figures, 'list-1', 1, fastifyOpenapiGlue.name),
    ...writeTargets(figures, 'create'),
    ...writeTargets(figures, 'delete'),
    pairTarget('1,000 operations in the contract', 'CPU ≤ 1.10 of that with 3', 1.1, figures.operations),
    ...millionTargets(figures),
    pairTarget('list 20, 10,000,000 plants in the file', 'CPU ≤ 1.30 of that at 1,000', 1.3, figures.huge?.list),
    pairTarget('create, 10,000,000 plants in the file', 'CPU ≤ 1.30 of that at 1,000', 1.3, figures.huge?.create),
    ...processTargets(figures),
  ]
}

function cpuTarget(figures: Figures, workload: string, limit: number, peerName: string): Target {
  const spread = ratioOf(figures, workload, peerName, 'microseconds')
  return pairTarget(titleOf(workload), `CPU ≤ ${limit.toFixed(2)} of ${peerName}`, limit, spread)
}

function writeTargets(figures: Figures, workload: string): Target[] {
  const cpu = peers
    .map(({ name }) => ratioOf(figures, workload, name, 'microseconds'))
    .filter((spread) => spread !== undefined)
  const rate = slowestRate(figures, workload)
  const alone = slowestRate(figures, `${workload}-alone`)
  const worst = cpu.toSorted((a, b) => b.median - a.median)[0]
  return [
    target(
      titleOf(workload),
      'CPU ≤ 0.40 of any peer',
      worst && { value: worst.median, text: `${ratioText(worst)} of the best peer` },
      (value) => value <= 0.4,
    ),
    target(
      titleOf(workload),
      'requests a second ≥ 4 times any peer',
      rate && { value: rate.median, text: `${ratioText(rate)} times the fastest peer` },
      (value) => value >= 4,
    ),
    target(
      titleOf(`${workload}-alone`),
      'requests a second ≥ any peer',
      alone && { value: alone.median, text: `${ratioText(alone)} times the fastest peer` },
      (value) => value >= 1,
    ),
  ]
}

function millionTargets({ million }: Figures): Target[] {
  const figures = million?.find(({ contender }) => contender === own.name)
  const list = 'list of 1,000,000 plants'
  const memory = figures && figures.memoryAboveIdle / 2 ** 20
  const firstByte = figures?.firstByteMilliseconds
  const other = figures?.slowestOtherMilliseconds
  return [
    target(
      list,
      'at most 64 MiB above idle',
      memory === undefined ? undefined : { value: memory, text: `${memory.toFixed(0)} MiB` },
      (value) => value <= 64,
    ),
    target(
      list,
      'first byte within 50 ms',
      firstByte === undefined ? undefined : { value: firstByte, text: `${firstByte.toFixed(1)} ms` },
      (value) => value <= 50,
    ),
    target(
      list,
      "another caller's request meanwhile within 100 ms",
      other === undefined ? undefined : { value: other, text: `${other.toFixed(1)} ms at the slowest` },
      (value) => value <= 100,
    ),
  ]
}

function processTargets({ start, memory }: Figures): Target[] {
  const peak = (name: string): number | undefined => memory.find(({ contender }) => contender === name)?.peak
  const [ownPeak, nodePeak] = [peak(own.name), peak(nodeHttp.name)]
  const ratio = ownPeak === undefined || nodePeak === undefined ? undefined : ownPeak / nodePeak
  return [
    target(
      'start',
      'first answer within 600 ms',
      start && { value: start.median, text: `${spreadText(start, 0)} ms` },
      (value) => value <= 600,
    ),
    target(
      'memory, peak under all workloads',
      `≤ 1.25 of ${nodeHttp.name}`,
      ratio === undefined ? undefined : { value: ratio, text: ratio.toFixed(2) },
      (value) => value <= 1.25,
    ),
  ]
}

function pairTarget(work: string, promise: string, limit: number, spread: Spread | undefined): Target {
  return target(work, promise, spread && { value: spread.median, text: ratioText(spread) }, (value) => value <= limit)
}

function target(
  work: string,
  promise: string,
  reached: { value: number; text: string } | undefined,
  isKept: (value: number) => boolean,
): Target {
  return { work, promise, reached: reached?.text, isKept: reached && isKept(reached.value) }
}

/** @returns the project's figure divided by a contender's */
function ratioOf({ throughput }: Figures, workload: string, contender: string, quantity: Quantity): Spread | undefined {
  return throughput.find((entry) => entry.workload === workload && entry.contender === contender)?.ratios?.[quantity]
}

/** @returns the project's requests a second divided by those of the fastest peer */
function slowestRate(figures: Figures, workload: string): Spread | undefined {
  const ratios = peers
    .map(({ name }) => ratioOf(figures, workload, name, 'requestsPerSecond'))
    .filter((spread) => spread !== undefined)
  return ratios.toSorted((a, b) => a.median - b.median)[0]
}

export function titleOf(workload: string): string {
  return workloads.find(({ name }) => name === workload)?.title ?? workload
}

/** A median with the lowest and the highest value. */
export function spreadText({ median, lowest, highest }: Spread, digits: number): string {
  return `${median.toFixed(digits)} (${lowest.toFixed(digits)}–${highest.toFixed(digits)})`
}

function ratioText(spread: Spread): string {
  return spreadText(spread, 2)
}
