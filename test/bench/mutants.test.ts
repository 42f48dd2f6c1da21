import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mutantsOf } from '../../bench/mutants/contract-edits.ts'
import type { ContractDocument } from '../../packages/fastify-contract/src/document/document.ts'
import { parseJsonWithBigInts, stringifyJson } from '../../packages/fastify-contract/src/json/json.ts'

const source = readFileSync(join(import.meta.dirname, '../../generated/contract.json'), 'utf8')

test('every mutant of the contract changes it, each in a way of its own', () => {
  const read = () => parseJsonWithBigInts(source) as ContractDocument
  const original = stringifyJson(read())
  const mutants = mutantsOf(read()).map(({ name, side, edit }) => {
    const contract = read()
    expect(() => {
      edit(contract)
    }, name).not.toThrow()
    return { name, side, text: stringifyJson(contract) }
  })
  expect(mutants.filter(({ text }) => text === original)).toEqual([])
  expect(new Set(mutants.map(({ side, text }) => side + text)).size).toBe(mutants.length)
})
