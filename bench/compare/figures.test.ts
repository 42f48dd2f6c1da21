import { expect, test } from 'vitest'
import { nodeHttp, own } from './contenders.ts'
import { targets, targetsOf } from './figures.ts'

test('the median ratio of the rounds reaches or misses a target', () => {
  const measured = ({ name }: { name: string }, ...cpu: number[]) => [
    { work: 'list-1', server: name, rounds: cpu.map((each) => ({ cpu: each })) },
    { work: 'list-20', server: name, rounds: cpu.map((each) => ({ cpu: name === own.name ? each / 4 : each })) },
  ]
  const series = [...measured(own, 10, 40, 30), ...measured(nodeHttp, 20, 40, 10)]
  expect(targetsOf(series, targets, own.name).slice(0, 3)).toEqual([
    { work: 'list-1', target: 'CPU ≤ 0.40 of node:http by hand', measured: '1.00 (0.50–3.00)', verdict: 'missed' },
    { work: 'list-20', target: 'CPU ≤ 0.36 of node:http by hand', measured: '0.25 (0.13–0.75)', verdict: 'reached' },
    { work: 'list-1000', target: 'CPU ≤ 0.30 of node:http by hand', measured: '', verdict: 'not measured' },
  ])
})
