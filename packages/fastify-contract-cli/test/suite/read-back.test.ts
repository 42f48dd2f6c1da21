import type { Schema } from 'fastify-contract/schema'
import { expect, test } from 'vitest'
import { readContract } from '../../src/suite.ts'
import { ReadBack } from '../../src/suite/state/read-back.ts'
import { bodyOf } from '../../src/suite/ground/resources.ts'
import { contractOf, json, noContent } from '../contracts.ts'

const text = { type: 'string' }
const owner = { type: 'object', properties: { name: text, age: { type: 'integer' } } }
const orNull = (schema: object) => ({ anyOf: [schema, { type: 'null' }] })

/** Compares values of a member of which a server has kept two others. @returns a fault, or the notes */
function compared(schema: object, sent: string, received: string): string[] {
  const member: Schema = { type: 'object', properties: { member: schema as Schema } }
  const requestBody = { content: json(member) }
  const document = contractOf({ '/things': { post: { operationId: 'addThing', requestBody, responses: noContent } } })
  const contract = readContract(document)
  const [operation] = contract.operations
  if (operation === undefined) throw new Error('the contract has no operation')
  const notes: string[] = []
  const readBack = new ReadBack(contract, 'id', (note) => notes.push(note))
  const compare = (value: string, shown: unknown) => {
    const request = { method: 'POST', url: '/things', body: `{"number":1,"member":${value}}` }
    readBack.compare({ operation, request }, { place: 'GET /things/1', members: { member: shown }, schema: member })
  }
  compare('"a"', 'a')
  compare('"b"', 'b')
  try {
    compare(sent, bodyOf(received))
    return notes
  } catch (error) {
    return [String(error)]
  }
}

test.each<[string, object, sent: string, received: string]>([
  ['a time', { ...text, format: 'date-time' }, '"2026-01-01T01:00:00+01:00"', '"2026-01-01T00:00:00.000Z"'],
  ['a duration', { ...text, format: 'duration' }, '"P2W"', '"P14D"'],
  ['a number that no double holds', { type: 'number' }, '9007199254740993', '9007199254740992'],
  ['an object', owner, '{"name":"a","other":1}', '{"name":"a"}'],
])('%s in another form is a note, also if it may be null', (_name, schema, sent, received) => {
  for (const each of [schema, orNull(schema), { oneOf: [{ type: 'null' }, orNull(schema)] }]) {
    const problems = compared(each, sent, received)
    expect(problems.filter((problem) => !/^member is in another form: /.test(problem))).toEqual([])
  }
})

test.each<[string, object, sent: string, received: string]>([
  ['a time', { ...text, format: 'date-time' }, '"2026-01-01T01:00:00+01:00"', '"2026-01-01T01:00:00Z"'],
  ['an integer', { type: 'integer' }, '9007199254740993', '9007199254740992'],
  ['a member of an object', owner, '{"name":"a","age":1}', '{"name":"a","age":2}'],
])('%s that is changed is lost, also if it may be null', (_name, schema, sent, received) => {
  for (const each of [schema, orNull(schema)]) {
    expect(compared(each, sent, received)).toEqual([
      expect.stringMatching(/received the member .*, which POST has sent$/),
    ])
  }
})
