import { join } from 'node:path'
import { expect, test } from 'vitest'
import { stepsOf } from './clients.ts'
import { qdrant } from './qdrant.ts'

// The packages of the other clients are too large for a test, and so are the contracts.
test("Qdrant's client goes its steps with the mock of what they ask of its contract", async () => {
  // A name that the compiler does not know: the package's types would change those of JSON.
  const name: string = '@qdrant/js-client-rest'
  const { outcomes } = await stepsOf(qdrant, join(import.meta.dirname, 'qdrant.yaml'), await import(name))
  expect(outcomes.filter(({ verdict }) => verdict === 'wrong')).toEqual([])
  expect(outcomes.map(({ step }) => step)).toContain('collection: delete')
})
