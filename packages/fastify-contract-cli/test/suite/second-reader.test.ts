import type { Schema, Subschema } from 'fastify-contract/schema'
import { expect, test } from 'vitest'
import { type CheckKind, type Result, type TestedContract, parseExactly, readContract } from '../../src/suite.ts'
import { test as testServer } from '../../src/suite.ts'
import { SecondReader } from '../../src/suite/judge/second-reader.ts'
import { accepted, schemas, validated } from '../keyword-cases.ts'

/** Lists how the validators differ on values of a schema, given as JSON text. */
async function differencesOn(schema: Schema, values: readonly string[]) {
  const named = { ...schemas, ...accepted.schemas, Count: { type: 'integer' } }
  const contract = readContract({ components: { schemas: named } })
  const reader = new SecondReader(contract.schemas)
  const differences: string[] = []
  const verdicts: boolean[] = []
  for (const text of values) {
    const value = parseExactly(text)
    const problems = contract.problemsOf(value, schema, 'response')
    verdicts.push(problems.length === 0)
    const difference = await reader.difference({ place: 'the body', value, schema }, problems)
    if (difference !== undefined) differences.push(`${text}: ${difference}`)
  }
  return { differences, verdicts }
}

const ofResponses = validated.filter(({ only }) => only !== 'request')
// A property that no schema declares is a matter of the first reader alone.
const isDeclared = (text: string) => !text.includes('valueOf')

test.each(ofResponses)('both validators enforce the keyword $keyword', async ({ schema, valid, invalid }) => {
  const wrong = invalid.filter(isDeclared)
  const { differences, verdicts } = await differencesOn(schema as Schema, [...valid, ...wrong])
  expect(differences).toEqual([])
  expect(verdicts).toEqual([...valid.map(() => true), ...wrong.map(() => false)])
})

test('both validators accept the same values of common schemas', async () => {
  for (const { schema, values } of accepted.unchanged) {
    const { differences, verdicts } = await differencesOn(schema as Schema, values)
    expect(differences).toEqual([])
    expect(verdicts).not.toContain(false)
  }
})

const text: Schema = { type: 'string' }
const secret: Schema = { ...text, writeOnly: true }
const slow = '^(a+)+$'
const long = 'a'.repeat(50)
test.each<[string, Schema, string[]]>([
  ['a format that others read otherwise', { ...text, format: 'time' }, ['"23:59:60Z"', '"24:00:00Z"']],
  ['a pattern that takes backtracking forever', { ...text, pattern: slow }, [`"${long}b"`, `"${long}"`]],
  [
    'formats that tell alternatives apart',
    { oneOf: [{ format: 'date' }, { format: 'uuid' }], ...text },
    ['"2026-02-28"'],
  ],
  ['a format that none of them knows', { ...text, format: 'phone' }, ['"a"']],
  ['an undeclared property', { type: 'object', properties: { a: text } }, ['{"a":"b","c":1}']],
  ['a property that is only written', { required: ['a'], allOf: [{ properties: { a: secret } }] }, ['{}', '{"a":"b"}']],
  [
    'a property that is only read',
    { required: ['a'], properties: { a: { ...text, readOnly: true } } },
    ['{"a":"b"}', '{}'],
  ],
  [
    'numbers that no double holds',
    { exclusiveMaximum: 9007199254740993n, type: 'integer' },
    ['9007199254740992', '9007199254740993'],
  ],
  [
    'integers of any size in a test',
    { not: { $ref: '#/components/schemas/Count' }, properties: { a: { $ref: '#/components/schemas/Count' } } },
    ['1e21', '{"a":1}', '{"a":1e21}'],
  ],
  [
    'a discriminator',
    { discriminator: { propertyName: 'b' }, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    ['{"a":1}', '{"a":1,"b":1}'],
  ],
])('no difference is found on %s', async (_name, schema, values) => {
  expect((await differencesOn(schema, values)).differences).toEqual([])
})

const responses = {
  200: { description: 'A name.', content: { 'application/json': { schema: { ...text, minLength: 2 } } } },
}
const contract = readContract({ paths: { '/name': { get: { operationId: 'getName', responses } } } })

/** Tests a server that answers with a body, by a validator that is broken for responses. */
async function resultsWith(problems: string[], body: string): Promise<Result[]> {
  const problemsOf = (value: unknown, schema: Subschema, kind?: CheckKind) =>
    kind === 'request' || kind === undefined ? contract.problemsOf(value, schema, kind) : problems
  const broken: TestedContract = { ...contract, problemsOf }
  const headers = { 'content-type': 'application/json' }
  const exchange = () => Promise.resolve({ status: 200, headers, text: body })
  const results: Result[] = []
  for await (const result of testServer(broken, { exchange, seed: 1, scale: 0.1 })) results.push(result)
  return results
}

test.each([
  [
    'takes a wrong response',
    [],
    '"a"',
    /for fastify-contract, the body is valid; for .*, the body breaks minLength; received "a"/,
  ],
  [
    'refuses a right one',
    ['is wrong'],
    '"ab"',
    /for fastify-contract, the body is wrong; for .*, the body is valid; received "ab"/,
  ],
])('a response cannot be judged where the validator of the library %s', async (_name, problems, body, reason) => {
  expect(await resultsWith(problems, body)).toContainEqual(
    expect.objectContaining({ verdict: 'not judged', reason: expect.stringMatching(reason) as string }),
  )
})

test('a response on which both validators agree is judged', async () => {
  expect((await resultsWith(['is wrong'], '"a"')).map(({ verdict }) => verdict)).toEqual(['fault'])
  expect((await resultsWith([], '"ab"')).map(({ verdict }) => verdict)).toEqual(['ok'])
})

test('a response that the second validator cannot read is judged by the first, and noted', async () => {
  const lookahead = {
    200: { description: 'A name.', content: { 'application/json': { schema: { pattern: '(?=a)' } } } },
  }
  const server = readContract({ paths: { '/name': { get: { operationId: 'getName', responses: lookahead } } } })
  const exchange = () => Promise.resolve({ status: 200, headers: { 'content-type': 'application/json' }, text: '"a"' })
  const notes: string[] = []
  for await (const result of testServer(server, { exchange, seed: 1, scale: 0.01 }))
    notes.push(...result.notes.map(({ text }) => text))
  expect(notes).toContainEqual(expect.stringMatching(/^only one validator has read the body; the second fails: /))
})
