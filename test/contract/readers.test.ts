import { expect, test } from 'vitest'
import { compareReaders } from '../../scripts/measure/fuzz/readers.ts'

test('changed documents and numbers are read as SQLite and exact arithmetic read them', () => {
  expect(compareReaders(Math.floor(Math.random() * 2 ** 31), 0, 2_000)).toBeUndefined()
})
