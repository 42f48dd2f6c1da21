import { expect, test } from 'vitest'
import { nodeHttp, own } from './contenders.ts'
import { targets, targetsOf } from './figures.ts'

test('the median ratio of the rounds reaches or misses a target', () => {
  const measured = ({ name }: { name: string }, ...cpu: number[]) => [
    { work: 'list-1', server: name, rounds: cpu.map((each) => ({ cpu: each })) },
    { work: 'list-20', server: name, rounds: cpu.map((each) => ({ cpu: name === own.name ? each / 2 : each })) },
  ]
  const series = [...measured(own, 10, 40, 30), ...measured(nodeHttp, 20, 40, 10)]
  expect(targetsOf(series, targets, own.name).slice(0, 3)).toEqual([
    { work: 'list-1', target: 'CPU ≤ 0.82 of node:http by hand', measured: '1.00 (0.50–3.00)', verdict: 'missed' },
    { work: 'list-20', target: 'CPU ≤ 0.70 of node:http by hand', measured: '0.50 (0.25–1.50)', verdict: 'reached' },
    { work: 'list-1000', target: 'CPU ≤ 0.33 of node:http by hand', measured: '', verdict: 'not measured' },
  ])
})
