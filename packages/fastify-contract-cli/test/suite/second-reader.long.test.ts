import { expect, test } from 'vitest'
import { readContract, test as testServer } from '../../src/suite.ts'

test('a pattern that takes the second validator too long is noted', async () => {
  const slow = { type: 'string', pattern: '^(a+)+$' }
  const ofPattern = { 200: { description: 'A name.', content: { 'application/json': { schema: slow } } } }
  const server = readContract({ paths: { '/name': { get: { operationId: 'getName', responses: ofPattern } } } })
  const headers = { 'content-type': 'application/json' }
  const exchange = () => Promise.resolve({ status: 200, headers, text: JSON.stringify(`${'a'.repeat(50)}b`) })
  const notes: string[] = []
  for await (const result of testServer(server, { exchange, seed: 1, scale: 0.01 })) notes.push(...result.notes)
  expect(notes).toContainEqual(
    expect.stringMatching(/^only one validator has read the body; the second fails: .*timed out/),
  )
})
