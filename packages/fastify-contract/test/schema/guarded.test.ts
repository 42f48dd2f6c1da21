import { Ajv, _ } from 'ajv'
import { expect, test, vi } from 'vitest'
import { guarded } from '../../src/schema/check/guarded.ts'

test('the function of a keyword runs only where the condition in the code does not hold', () => {
  const isEven = vi.fn((_schema: unknown, value: unknown) => Number(value) % 2 === 0)
  const keyword = guarded({ validate: isEven }, ({ data }) => _`${data} === 1`)
  const validate = new Ajv().addKeyword({ keyword: 'even', ...keyword }).compile({ even: true })
  expect([1, 2, 3].map((value) => validate(value))).toEqual([true, true, false])
  expect(isEven.mock.calls.map(([, value]) => value)).toEqual([2, 3])
})
