import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { isSchema } from 'fastify-contract/schema'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { BrokenContract } from '../src/model/yaml/findings.ts'
import { readCheckedContract } from '../src/model/read-contract.ts'
import { writeTypes } from '../src/generate/write-types.ts'

const file = join(import.meta.dirname, 'services/galaxy/galaxy.yaml')
const names =
  '$ref additionalProperties allOf callbacks const content default discriminator enum example examples format headers in ' +
  'items links minimum name not nullable oneOf parameters pattern properties readOnly required responses schema security ' +
  'servers style summary tags type webhooks'
const values = [
  ...[null, 5, -1, 1.5, 'text', '', true, [], {}, [null], ['a'], [[]], [true], { a: 1 }, { type: 'object' }],
  ...['#/components/schemas/None', '#/components/schemas/Planet', '#/components/schemas/Planet/properties/name'].map(
    ($ref) => ({ $ref }),
  ),
  ...[{ $ref: 5 }, { $ref: '#/paths' }],
]

/** Replaces or removes a member, or adds one. `place` counts the members of the contract. */
const edit = fc.record({
  place: fc.nat(10_000),
  name: fc.option(fc.constantFrom(...names.split(' '))),
  value: fc.option(fc.constantFrom(...values), { nil: undefined }),
})

type Holder = Record<string, unknown>

function membersOf(node: unknown): [Holder, string][] {
  if (typeof node !== 'object' || node === null) return []
  // A list has its items by their indices.
  const holder = node as Holder
  return Object.keys(holder).flatMap((key) => [[holder, key] as [Holder, string], ...membersOf(holder[key])])
}

test('a contract with random faults is taken, or refused with places', async () => {
  const contract: unknown = parse(await readFile(file, 'utf8'))
  const property = fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 2 }), async (edits) => {
    const copy = structuredClone(contract)
    for (const { place, name, value } of edits) {
      const members = membersOf(copy)
      const [holder, key] = members[place % members.length]!
      const own = name === null || !isSchema(holder) ? key : name
      if (value === undefined) Reflect.deleteProperty(holder, key)
      else holder[own] = structuredClone(value)
    }
    try {
      writeTypes(await readCheckedContract(Buffer.from(JSON.stringify(copy)), 'openapi.json'))
    } catch (error) {
      if (!(error instanceof BrokenContract)) throw error
      for (const line of error.lines) expect(line).toMatch(/^openapi\.json:(?:\d+:\d+: | the chains of references)/)
    }
  })
  await fc.assert(property, { numRuns: 300, seed: -1372309918 })
})
