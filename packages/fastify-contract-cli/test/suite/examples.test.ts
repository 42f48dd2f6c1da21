import { expect, test } from 'vitest'
import { createContractSuite, readContract } from '../../src/suite.ts'

const text = { type: 'string' }
const readOnly = { ...text, readOnly: true }
const plant = {
  type: 'object',
  required: ['name', 'createdAt', 'leaves'],
  properties: {
    name: text,
    createdAt: readOnly,
    size: { ...text, default: 'small' },
    leaves: { type: 'array', items: { oneOf: [{ type: 'object', properties: { size: text, id: readOnly } }] } },
  },
}
const contract = readContract({
  openapi: '3.1.0',
  paths: {
    '/plants': {
      post: {
        operationId: 'create',
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: { type: 'object', properties: { name: text } },
              examples: example({ name: 'a' }),
            },
          },
        },
        responses: {
          200: {
            description: 'The plant.',
            content: {
              'application/json': {
                schema: plant,
                examples: example({ name: 'a', size: 'small', createdAt: 'once', leaves: [{ size: 's', id: '1' }] }),
              },
            },
          },
        },
      },
    },
  },
})

function example(value: unknown) {
  return { small: { value } }
}

/** Runs the test of the examples against a server that answers this. @returns its result, and what was not seen */
async function run(answer: object) {
  const headers = { 'content-type': 'application/json' }
  const exchange = () => Promise.resolve({ status: 200, headers, text: JSON.stringify(answer) })
  const suite = createContractSuite(contract, { exchange, needs: {} })
  const examples = suite.cases().find(({ title }) => title.startsWith('the examples of requests'))
  return { result: await examples!.run(), gaps: suite.coverage.gaps() }
}

test('a response with an example may have other readOnly values, at every depth', async () => {
  const { result, gaps } = await run({ name: 'a', size: 'small', createdAt: 'now', leaves: [{ size: 's', id: '2' }] })
  expect(result.verdict).toBe('ok')
  // A property with a default may always be there.
  expect(gaps.filter((gap) => /example|size absent/.test(gap))).toEqual([])
})

test.each([
  { name: 'b', size: 'small', createdAt: 'once', leaves: [{ size: 's', id: '1' }] },
  { name: 'a', size: 'small', createdAt: 'once', leaves: [{ size: 't', id: '1' }] },
])('a response with an example must have its other values: %j', async (answer) => {
  const { result, gaps } = await run(answer)
  expect(result.verdict).toBe('fault')
  expect(gaps.filter((gap) => gap.includes('the example small of create 200'))).toHaveLength(1)
})
