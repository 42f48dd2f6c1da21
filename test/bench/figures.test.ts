import { expect, test } from 'vitest'
import { ratiosOf, spreadOf } from '../../scripts/bench/figures.ts'
import { BadOptions, readOptions } from '../../scripts/bench/options.ts'

test('a median is the middle value, or halfway between the two in the middle', () => {
  expect(spreadOf([10, 2, 33])).toEqual({ median: 10, lowest: 2, highest: 33 })
  expect(spreadOf([4, 1, 3, 2])).toEqual({ median: 2.5, lowest: 1, highest: 4 })
})

test('ratios compare the values of the same round', () => {
  expect(ratiosOf([10, 40], [20, 20])).toEqual([0.5, 2])
})

test.each([['--onyl', 'list-20'], ['--only', 'lists'], ['--rounds', '0'], ['--rounds', '1e1'], ['--milliseconds', '10'], ['list-20']])('%s %s is refused with the usage', (...args) => {
  expect(() => readOptions(args)).toThrow(BadOptions)
  expect(() => readOptions(args)).toThrow('Usage: npm run bench')
})

test('parts are chosen one by one, and the huge file only when it is asked for', () => {
  expect(readOptions([])).toMatchObject({ only: undefined, huge: false })
  expect(readOptions(['--only', 'list-20', '--only', 'huge'])).toMatchObject({ only: new Set(['list-20', 'huge']), huge: true })
})
