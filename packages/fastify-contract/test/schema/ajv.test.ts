import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { createCompiler } from '../../src/schema/ajv.ts'
import { compileFlat, compileWhole } from '../../src/schema/compile-flat.ts'
import { SchemaRewriter } from '../../src/schema/rewrite-schema.ts'
import type { Schema } from '../../src/schema/schema.ts'
import { serveEcho } from '../support/contracts.ts'

const to = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const text: Schema = { type: 'string' }

test.each<[string, Schema & Record<string, unknown>]>([
  ['$anchor', { ...text, $anchor: 'a' }],
  ['nullable', { ...text, nullable: true }],
  ['$dynamicRef', { $dynamicRef: '#a' }],
  ['maxLenght', { ...text, maxLenght: 2 }],
])('an unsupported keyword is refused anywhere: %s', (keyword, schema) => {
  const rewriter = new SchemaRewriter({ A: { type: 'object', additionalProperties: schema } }, 'request')
  for (const around of [schema, { items: schema }, { anyOf: [schema] }, { not: schema }, to('A')]) {
    const compile = () => compileWhole(createCompiler(rewriter), rewriter.rewriteValue(around))
    expect(compile, JSON.stringify(around)).toThrow(`unknown keyword: "${keyword}"`)
  }
})

test('a named schema is compiled once, however many schemas reference it', () => {
  const named: Record<string, object> = {
    A: { type: 'object', properties: { b: { $ref: 'B' } } },
    B: { counting: 1, properties: { a: { $ref: 'A' } } },
  }
  let count = 0
  const ajv = new Ajv()
  ajv.addKeyword({
    keyword: 'counting',
    compile: () => {
      count++
      return () => true
    },
  })
  const compiler = compileFlat(ajv, { named: (id) => named[id]!, part: () => undefined })
  for (const schema of [{ $ref: 'B' }, { $ref: 'A' }, { type: 'array', items: { $ref: 'B' } }]) {
    compileWhole(compiler, schema)
  }
  expect(count).toBe(1)
})

test.each<[string, (next: object) => object]>([
  ['properties', (next) => ({ properties: { next } })],
  ['alternatives', (next) => ({ anyOf: [{ required: ['next'], properties: { next } }, { maxProperties: 0 }] })],
])('hundreds of schemas that reference one another compile: in %s', async (_where, schemaOf) => {
  const size = 400
  const schemas = Array.from({ length: size }, (_, index) => {
    const schema = { type: 'object', ...schemaOf(to(`S${String((index + 1) % size)}`)) }
    return [`S${String(index)}`, schema] as const
  })
  const echo = await serveEcho(to('S0'), Object.fromEntries(schemas))
  expect(await echo('{"next":{"next":{}}}')).toMatchObject({ status: 200, seen: '{"next":{"next":{}}}' })
  expect(await echo('{"next":{"next":{"next":5}}}')).toMatchObject({
    status: 400,
    text: expect.stringMatching(/^body\/next\/next\/next must be an object/) as string,
  })
})

// In alternatives, the first error ends the validation.
test.each<[string, object, string, string]>([
  [
    'a list shorter than prefixItems',
    { type: 'array', prefixItems: [text], contains: { type: 'number' } },
    '[]',
    '["a",1]',
  ],
  ['a missing property without a name', { type: 'object', properties: { '': text }, required: [''] }, '{}', '{"":"a"}'],
])('an alternative is refused for %s', async (_what, schema, invalid, valid) => {
  const echo = await serveEcho({ anyOf: [schema, text] })
  expect(await echo(invalid)).toMatchObject({ status: 400 })
  expect(await echo(valid)).toMatchObject({ status: 200, seen: valid })
})

test('a condition does not keep an int64 within the integers that are exact as numbers', async () => {
  const echo = await serveEcho({ if: { type: 'integer' }, then: { type: 'integer', format: 'int64' } })
  expect(await echo('9007199254740993')).toMatchObject({ status: 200, seen: '9007199254740993' })
  expect(await echo('9223372036854775808')).toMatchObject({ status: 400 })
})
