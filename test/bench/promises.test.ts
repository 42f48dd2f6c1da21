import { expect, test } from 'vitest'
import { nodeHttp, own } from '../../bench/compare/contenders.ts'
import { promisesOf } from '../../bench/compare/promises.ts'

test('a promise is kept or not by the median of the ratios of each round, and shown where it was not measured', () => {
  const measured = ({ name }: { name: string }, ...cpu: number[]) => [
    { work: 'list-1', server: name, rounds: cpu.map((each) => ({ cpu: each })) },
    { work: 'list-20', server: name, rounds: cpu.map((each) => ({ cpu: name === own.name ? each / 2 : each })) },
  ]
  const series = [...measured(own, 10, 40, 30), ...measured(nodeHttp, 20, 40, 10)]
  const promises = promisesOf({ series, problems: [] })
  expect(promises.slice(0, 3)).toEqual([
    { work: 'list-1', promise: 'CPU ≤ 0.82 of node:http by hand', reached: '1.00 (0.50–3.00)', verdict: 'not kept' },
    { work: 'list-20', promise: 'CPU ≤ 0.70 of node:http by hand', reached: '0.50 (0.25–1.50)', verdict: 'kept' },
    { work: 'list-1000', promise: 'CPU ≤ 0.33 of node:http by hand', reached: '', verdict: 'not measured' },
  ])
})
