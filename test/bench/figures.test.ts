import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readOptions } from '../../bench/options.ts'
import { type Figures, figuresAsJson } from '../../bench/report/figures.ts'
import { figuresAsMarkdown } from '../../bench/report/markdown.ts'
import { plotFigures } from '../../bench/report/plot.ts'
import { ratiosOf } from '../../bench/report/summarize.ts'
import { UsageError } from '../../scripts/command.ts'
import { spreadOf } from '../../scripts/measure/report/spread.ts'

test('a median is the middle value, or halfway between the two in the middle', () => {
  expect(spreadOf([10, 2, 33])).toEqual({ median: 10, lowest: 2, highest: 33 })
  expect(spreadOf([4, 1, 3, 2])).toEqual({ median: 2.5, lowest: 1, highest: 4 })
})

test('ratios compare the values of the same round', () => {
  expect(ratiosOf([10, 40], [20, 20])).toEqual([0.5, 2])
})

test.each([
  ['--onyl', 'list-20'],
  ['--only', 'lists'],
  ['--rounds', '0'],
  ['--rounds', '1e1'],
  ['--milliseconds', '10'],
  ['list-20'],
])('%s %s is refused with the usage', (...args) => {
  expect(() => readOptions(args)).toThrow(UsageError)
  expect(() => readOptions(args)).toThrow('Usage: npm run bench')
})

test('parts are chosen one by one, and the huge file only when it is asked for', () => {
  expect(readOptions([])).toMatchObject({ only: undefined, huge: false })
  expect(readOptions(['--only', 'list-20', '--only', 'huge'])).toMatchObject({
    only: new Set(['list-20', 'huge']),
    huge: true,
  })
})

test('the page and the plot in docs/bench are made from figures.json, which keeps no rounds', () => {
  const read = (file: string) => readFileSync(join(import.meta.dirname, '../../docs/bench', file), 'utf8')
  const text = read('figures.json')
  // Written by `figuresAsJson`.
  const figures = JSON.parse(text) as Figures
  expect(figuresAsMarkdown(figures)).toBe(read('figures.md'))
  expect(plotFigures(figures)).toBe(read('plot.svg'))
  expect(figuresAsJson(figures)).toBe(text)
  expect(text.length).toBeLessThan(100_000)
})
