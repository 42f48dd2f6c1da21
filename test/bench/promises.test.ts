import { expect, test } from 'vitest'
import { fastifyOpenapiGlue, nodeHttp, own } from '../../bench/compare/contenders.ts'
import { throughputFigures } from '../../bench/compare/figures.ts'
import { promisesOf } from '../../bench/compare/promises.ts'

test('a promise is kept or not by the median of the ratios of each round, and absent where it was not measured', () => {
  const others = { requestsPerSecond: 1, generatorBusy: 0, serverWaiting: 0, bodyBytes: 0 }
  const measured = ({ name }: { name: string }, ...cpu: number[]) => ({
    workload: 'list-1',
    contender: name,
    rounds: cpu.map((microseconds) => ({ ...others, microseconds })),
  })
  const throughput = throughputFigures([
    measured(own, 10, 40, 30),
    measured(nodeHttp, 20, 40, 10),
    measured(fastifyOpenapiGlue, 9, 39, 29),
  ])
  const machine = { processor: '', processors: 2, node: '', sqlite: '' }
  const kept = promisesOf({ date: '', machine, rounds: 3, milliseconds: 1, throughput, memory: [] })
  expect(kept.map(({ promise, reached, isKept }) => [promise, reached, isKept])).toEqual([
    ['CPU ≤ 1.05 of node:http by hand', '1.00 (0.50–3.00)', true],
    ['CPU ≤ 1.00 of fastify-openapi-glue', '1.03 (1.03–1.11)', false],
  ])
})
