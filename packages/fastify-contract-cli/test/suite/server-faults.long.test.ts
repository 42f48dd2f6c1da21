import { expect, test } from 'vitest'
import { petsDocument } from './pets-contract.ts'
import { type Faults, servePets } from './pets-server.ts'
import { runTestOf } from './run-test.ts'

type Node = Record<string, unknown>

/** The contract of pets, in which some statuses of changing a pet are declared. */
function declaring(...statuses: string[]): object {
  const document = structuredClone(petsDocument) as { paths: Record<string, Record<string, { responses: Node }>> }
  const { responses } = document.paths['/pets/{petId}']!['put']!
  for (const status of statuses) responses[status] = responses['400']
  return document
}

/** Refuses what is invalid, and fails at the changes that it should make. */
const failing = (status: number): Faults => ({
  reply: (right, { method }) => (method === 'PUT' && right.status === 200 ? { status, body: { title: 'a' } } : right),
})

async function run(document: object, faults: Faults): Promise<{ code: number; lines: string[] }> {
  const url = await servePets(faults)
  return runTestOf(document, ['--url', url, '--auth', 'key=k', '--seed', '7', '--only', 'POST /pets'])
}

test.each([
  ['default', 500],
  ['5XX', 503],
])('a change that fails is a fault where only %s is declared', async (declared, status) => {
  const { code, lines } = await run(declaring(declared), failing(status))
  const problem = `received ${String(status)}, which the operation declares as ${declared} alone`
  expect(lines).toContainEqual(expect.stringMatching(RegExp(`creates .* → PUT /pets/\\d+: ${problem}`)))
  expect(code).toBe(1)
})

test('a change that fails is a note where its status is declared', async () => {
  const { code, lines } = await run(declaring('503'), failing(503))
  expect(lines).toContain('  note: 503 for a request that the contract allows (1 test)')
  expect(code).toBe(0)
})
