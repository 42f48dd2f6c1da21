import { sealContract } from 'fastify-contract/document'
import { stringifyJson } from 'fastify-contract/json'
import { expect, onTestFinished, test } from 'vitest'
import { createMock } from '../../src/mock.ts'
import { type TestOptions, readContract, test as testServer } from '../../src/suite.ts'
import { contractOf } from '../contracts.ts'
import { answer } from './run-test.ts'

const failure = { description: 'Refused.' }
const statuses = ['400', '404', '405', '408', '413', '415', '431', '500', '503']
const responses = { 204: { description: 'Done.' }, ...Object.fromEntries(statuses.map((each) => [each, failure])) }
const putting = (operationId: string, content: object) => ({
  put: { operationId, security: [], requestBody: { required: true, content }, responses },
})
const document = contractOf({
  '/photo': putting('putPhoto', { 'image/jpeg': { schema: { maxLength: 100_000 } } }),
  '/note': putting('putNote', { 'text/plain': { schema: { type: 'string' } } }),
  '/either': putting('putEither', {
    'application/octet-stream': { schema: { maxLength: 5 } },
    'application/*': { schema: { maxLength: 3 } },
    'text/csv': {},
  }),
  '/film': putting('putFilm', { 'video/*': { schema: { maxLength: 2_000_000_000 } } }),
})
const contract = readContract(document)
const bodyLimit = 65_536

/** The titles of results by their verdicts, and the problems of faults. */
async function resultsOf(options: TestOptions) {
  const found: Record<string, string[]> = {}
  const run = testServer(contract, { isStrict: true, bodyLimit, seed: 1, ...options })
  for await (const result of run) {
    const problems = result.verdict === 'fault' ? result.faults.map(({ problem }) => `: ${problem}`) : ['']
    for (const problem of problems) (found[result.verdict] ??= []).push(`${result.title}${problem}`)
  }
  return found
}

const limits = [
  'putPhoto refuses a body over the limit',
  'putPhoto accepts a body of image/jpeg of maxLength',
  'putNote refuses a body over the limit',
  'putEither refuses a body over the limit (application/octet-stream)',
  'putEither refuses a body over the limit (text/csv)',
  'putEither accepts a body of application/octet-stream of maxLength',
]

test('raw bodies are tested for their sizes and types as those of JSON are', async () => {
  const app = await createMock(sealContract({ document: stringifyJson(document) }), { docs: false })
  onTestFinished(() => app.close())
  const { ok, fault, 'left out': leftOut } = await resultsOf({ app })
  expect(fault).toBe(undefined)
  expect(ok).toEqual(expect.arrayContaining(limits))
  expect(ok?.filter((title) => /maxLength|over the limit/.test(title)).toSorted()).toEqual(limits.toSorted())
  for (const operation of ['putPhoto', 'putNote', 'putEither'])
    for (const what of ['no media type', 'another media type', 'a coded body'])
      expect(ok).toContain(`${operation} refuses ${what}`)
  expect(leftOut).toEqual(['PUT /film: body: none of 2000000000 bytes is sent'])
})

/** What a server does wrong. */
interface Wrong {
  /** How many bytes it takes of a photo. */
  limit?: number
  takesAnyType?: boolean
}

const serveWrong = ({ limit = 100_000, takesAnyType = false }: Wrong) =>
  answer(({ headers }, body) => {
    const type = headers['content-type']
    if (!takesAnyType && (type !== 'image/jpeg' || headers['content-encoding'] !== undefined)) return [415]
    return [body.length > limit ? 413 : 204]
  })

test.each<[string, Wrong, RegExp, isStrict: boolean]>([
  ['takes more', { limit: 100_001 }, /a body over the limit: received 204, expected 413/, false],
  ['takes any type', { takesAnyType: true }, /another media type: received 204, expected 415/, true],
  ['takes less', { limit: 99_999 }, /of maxLength: received 413 for a request that the contract allows/, true],
])('a server that %s is found', async (_what, wrong, problem, isStrict) => {
  const { fault } = await resultsOf({ url: await serveWrong(wrong), only: 'putPhoto', isStrict })
  expect(fault).toContainEqual(expect.stringMatching(problem))
})
