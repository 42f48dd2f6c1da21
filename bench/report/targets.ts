import {
  bunServe,
  expressOpenapiValidator,
  fastifyOpenapiGlue,
  nodeHttp,
  nodePeers,
  openapiBackendExample,
  own,
  ownUncached,
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
    cpuTarget(figures, 'list-20', 1, bunServe.name),
    cpuTarget(figures, 'list-1000', 1, bunServe.name),
    cpuTarget(figures, 'create', 1, bunServe.name),
    cpuTarget(figures, 'delete', 1, bunServe.name),
    cpuTarget(figures, 'list-1', 1.2, bunServe.name),
    cpuTarget(figures, 'list-20-alone', 1, nodeHttp.name),
    cpuTarget(figures, 'create-alone', 1, nodeHttp.name),
    cpuTarget(figures, 'delete-alone', 1, nodeHttp.name),
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
  const cpu = nodePeers
    .map(({ name }) => ratioOf(figures, workload, name, 'microseconds'))
    .filter((spread) => spread !== undefined)
  const rate = slowestRate(figures, workload)
  const alone = slowestRate(figures, `${workload}-alone`)
  const worst = cpu.toSorted((a, b) => b.median - a.median)[0]
  return [
    target(
      titleOf(workload),
      'CPU ≤ 0.40 of any peer on Node',
      worst && { value: worst.median, text: `${ratioText(worst)} of the best peer` },
      (value) => value <= 0.4,
    ),
    target(
      titleOf(workload),
      'requests a second ≥ 4 times any peer on Node',
      rate && { value: rate.median, text: `${ratioText(rate)} times the fastest peer` },
      (value) => value >= 4,
    ),
    target(
      titleOf(`${workload}-alone`),
      'requests a second ≥ any peer on Node',
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
  const startOf = (name: string) => start?.find(({ contender }) => contender === name)?.milliseconds
  return [
    startTarget('start', 300, startOf(own.name)),
    startTarget('start without the compile cache', 400, startOf(ownUncached.name)),
    memoryTarget('memory, idle', 1.2, memory, 'idle'),
    memoryTarget('memory, peak under all workloads', 1, memory, 'peak'),
  ]
}

function startTarget(work: string, limit: number, milliseconds: Spread | undefined): Target {
  return target(
    work,
    `first answer within ${String(limit)} ms`,
    milliseconds && { value: milliseconds.median, text: `${spreadText(milliseconds, 0)} ms` },
    (value) => value <= limit,
  )
}

function memoryTarget(work: string, limit: number, memory: Figures['memory'], which: 'idle' | 'peak'): Target {
  const ownFigure = memory.find(({ contender }) => contender === own.name)?.[which]
  const nodeFigure = memory.find(({ contender }) => contender === nodeHttp.name)?.[which]
  const ratio = ownFigure === undefined || nodeFigure === undefined ? undefined : ownFigure / nodeFigure
  return target(
    work,
    `≤ ${limit.toFixed(2)} of ${nodeHttp.name}`,
    ratio === undefined ? undefined : { value: ratio, text: ratio.toFixed(2) },
    (value) => value <= limit,
  )
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
  const ratios = nodePeers
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
