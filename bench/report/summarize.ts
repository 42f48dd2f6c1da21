import { type Spread, spreadOf } from '../../scripts/measure/report/spread.ts'
import { own } from '../contenders/contenders.ts'
import type { Measurement } from '../contenders/running-contender.ts'
import type { HugeRounds } from '../measurements/huge-file.ts'
import type { ManyOperationsRounds } from '../measurements/many-operations.ts'
import type { ProcessesEntry, ProcessesRounds } from '../measurements/processes.ts'
import type { StartRounds } from '../measurements/start-time.ts'
import type { ThroughputRounds } from '../measurements/throughput.ts'
import type { Figures, ProcessesFigures, StartFigures, ThroughputFigures } from './figures.ts'

/** All measurements of a run, one for each round. */
export interface Rounds extends Omit<Figures, 'throughput' | 'operations' | 'start' | 'processes' | 'huge'> {
  throughput: ThroughputRounds[]
  operations?: ManyOperationsRounds
  start?: StartRounds[]
  processes?: ProcessesRounds
  huge?: HugeRounds
}

/** Computes the figures of the report from the rounds. */
export function summarize(measured: Rounds): Figures {
  const { throughput, operations, start, processes, huge, ...rest } = measured
  return {
    ...rest,
    throughput: throughput.map((entry) => summarizeThroughput(entry, throughput)),
    ...(operations && { operations: cpuRatio(operations.thousand, operations.three) }),
    ...(start && { start: start.map((entry) => summarizeStart(entry, start)) }),
    ...(processes && {
      processes: {
        entries: processes.entries.map(summarizeProcesses),
        waits: { append: spreadOf(processes.waits.append), roundTrip: spreadOf(processes.waits.roundTrip) },
      },
    }),
    ...(huge && {
      huge: {
        list: cpuRatio(huge.list.huge, huge.list.small),
        create: cpuRatio(huge.create.huge, huge.create.small),
      },
    }),
  }
}

/** Divides two series round by round. A disturbance of a round is in both numbers of its ratio. */
export function ratiosOf(values: readonly number[], others: readonly number[]): number[] {
  return values.map((value, round) => value / (others[round] ?? NaN))
}

function summarizeThroughput(entry: ThroughputRounds, all: ThroughputRounds[]): ThroughputFigures {
  const { workload, contender, rounds } = entry
  const ours = all.find((other) => other.workload === workload && other.contender === own.name)?.rounds
  const compared = contender === own.name ? undefined : ours
  const cpu = valuesOf(rounds, 'microseconds')
  const rate = valuesOf(rounds, 'requestsPerSecond')
  return {
    workload,
    contender,
    microseconds: spreadOf(cpu),
    requestsPerSecond: spreadOf(rate),
    generatorBusy: spreadOf(valuesOf(rounds, 'generatorBusy')).median,
    serverWaiting: spreadOf(valuesOf(rounds, 'serverWaiting')).median,
    ...(compared && {
      ratios: {
        microseconds: cpuRatio(compared, rounds),
        requestsPerSecond: spreadOf(ratiosOf(valuesOf(compared, 'requestsPerSecond'), rate)),
      },
      factor: spreadOf(ratiosOf(cpu, valuesOf(compared, 'microseconds'))).median,
    }),
  }
}

function summarizeStart({ contender, milliseconds }: StartRounds, all: StartRounds[]): StartFigures {
  const ours = all.find((other) => other.contender === own.name)?.milliseconds ?? []
  return {
    contender,
    milliseconds: spreadOf(milliseconds),
    ...(contender === own.name ? {} : { ratio: spreadOf(ratiosOf(ours, milliseconds)) }),
  }
}

function summarizeProcesses({ work, store, processes, rounds }: ProcessesEntry): ProcessesFigures {
  const database = rounds.flatMap(({ databaseMicroseconds }) => databaseMicroseconds ?? [])
  return {
    work,
    store,
    processes,
    serverMicroseconds: spreadOf(rounds.map(({ serverMicroseconds }) => serverMicroseconds)),
    ...(database.length > 0 && { databaseMicroseconds: spreadOf(database) }),
    requestsPerSecond: spreadOf(rounds.map(({ requestsPerSecond }) => requestsPerSecond)),
    busiestShare: spreadOf(rounds.map(({ shares }) => Math.max(...shares))).median,
    generatorBusy: spreadOf(rounds.map(({ generatorBusy }) => generatorBusy)).median,
  }
}

function cpuRatio(rounds: readonly Measurement[], others: readonly Measurement[]): Spread {
  return spreadOf(ratiosOf(valuesOf(rounds, 'microseconds'), valuesOf(others, 'microseconds')))
}

function valuesOf(rounds: readonly Measurement[], quantity: keyof Measurement): number[] {
  return rounds.map((round) => round[quantity])
}
