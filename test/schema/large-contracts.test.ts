import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { BrokenContract } from '../../packages/fastify-contract/src/gate/check/findings.ts'
import { readContract } from '../../packages/fastify-contract/src/gate/check/read-contract.ts'
import { generateFiles } from '../../packages/fastify-contract/src/gate/generate/generate-files.ts'
import { createAjv } from '../../packages/fastify-contract/src/schema/ajv.ts'
import { SchemaRewriter } from '../../packages/fastify-contract/src/schema/rewrite-schema.ts'
import { temporaryFolder } from '../support/server/start-app.ts'
import { contractOf, contractWith, failures, problemsOf, serve } from '../contract/words/own-contract.ts'

const project = join(import.meta.dirname, '../..')
const named = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: object) => ({ 'application/json': { schema } })
const schemasOf = (names: number, schemaOf: (index: number) => object) =>
  Object.fromEntries(Array.from({ length: names }, (_, index) => [`S${String(index)}`, schemaOf(index)]))

/** So many schemas, each of which refers to the next and the one before. */
const ringOf = (size: number) =>
  contractOf(
    {
      '/things': {
        post: {
          operationId: 'createThing',
          requestBody: { required: true, content: json(named('S0')) },
          responses: { 200: { description: 'The thing.', content: json(named('S0')) }, ...failures },
        },
      },
    },
    {
      components: {
        schemas: schemasOf(size, (index) => ({
          type: 'object',
          properties: {
            count: { type: 'integer', default: 1 },
            next: named(`S${String((index + 1) % size)}`),
            before: named(`S${String((index + size - 1) % size)}`),
          },
        })),
      },
    },
  )

test('1,220 schemas that refer to one another are generated from', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'openapi.yaml'), JSON.stringify(ringOf(1220)))
  const { files } = await generateFiles({ root: folder, contract: 'openapi.yaml', out: 'generated', reserved: [] })
  expect(files.get('openapi.ts')).toContain('S1219')
})

test('schemas that refer to one another, by the hundred, are served', async () => {
  const createThing = ({ body }: { body: unknown }) => ({ status: 200, body })
  const { send } = await serve(ringOf(400), { createThing })
  const create = (body: string) => send({ method: 'POST', url: '/things', body })
  const deep = '{"before":{"next":{"count":2,"next":{"before":{}}}}}'
  const text = '{"before":{"next":{"count":2,"next":{"before":{"count":1},"count":1}},"count":1},"count":1}'
  expect(await create(deep)).toMatchObject({ status: 200, text })
  const wrong = await create('{"before":{"next":{"next":{"count":"2"}}}}')
  expect(wrong).toMatchObject({ status: 400, text: expect.stringContaining('body/before/next/next/count') as string })
})

test('a change is found among 1,220 schemas that refer to one another, on the stack of the command', async () => {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'docs/releases'), { recursive: true })
  const [before, after] = [ringOf(1220), { ...ringOf(1220), info: { title: 'Rings', version: '1.0.0' } }]
  await writeFile(join(folder, 'docs/releases/openapi-1.0.0.yaml'), JSON.stringify(before, undefined, 1))
  await writeFile(join(folder, 'openapi.yaml'), JSON.stringify(after, undefined, 1))
  const { scripts } = JSON.parse(await readFile(join(project, 'package.json'), 'utf8')) as {
    scripts: { breaking: string }
  }
  const [, ...parameters] = scripts.breaking.split(' ').map((part) => part.replace(/^scripts/, `${project}/scripts`))
  const { stdout } = await promisify(execFile)(process.execPath, parameters, { cwd: folder })
  expect(stdout.split('\n')).toEqual([
    expect.stringMatching(/^editorial {3}info: title changed from "Things" to "Rings" \(openapi\.yaml:\d+:\d+\)$/),
    'compared with 1.0.0: 0 breaking, 0 compatible, 1 editorial',
    '',
  ])
})

/** A contract of schemas each of which has the one before twice. */
const sharingOf = (schemaOf: (both: [object, object]) => object, more: object = {}) => {
  const schemas = schemasOf(40, (index) => {
    const before = named(`S${String(index - 1)}`)
    return index === 0 ? { type: 'object' } : schemaOf([before, before])
  })
  const requestBody = { required: true, content: { 'application/json': { schema: named('S39'), ...more } } }
  const post = { operationId: 'createThing', requestBody, responses: { 204: { description: 'Done.' }, ...failures } }
  return contractOf({ '/things': { post } }, { components: { schemas } })
}

test('schemas that share their parts, level after level, are checked in the time that each takes once', async () => {
  const contract = sharingOf(([a, b]) => ({ type: 'object', properties: { a, b } }), { example: { a: { b: {} } } })
  expect(await problemsOf(contract)).toEqual([])
})

test.each<[string, (both: [object, object]) => object]>([
  ['allOf', (both) => ({ allOf: both })],
  ['oneOf', (both) => ({ oneOf: both })],
  ['anyOf', ([a, b]) => ({ anyOf: [a, b, { type: 'null' }] })],
  ['a reference and not', ([a, b]) => ({ ...a, not: b })],
  ['if and then', ([a, b]) => ({ if: a, then: b })],
  ['dependentSchemas', ([a, b]) => ({ dependentSchemas: { x: a, y: b } })],
])('schemas of which billions apply to one value are refused, within seconds: %s', async (_word, schemaOf) => {
  const contract = sharingOf(schemaOf, { example: { a: 1 } })
  expect(await problemsOf(contract)).toEqual([
    expect.stringMatching(
      /^openapi\.yaml:\d+:\d+: more than 100000 schemas apply to one value; refer to each of them once$/,
    ),
  ])
})

/** A contract whose schemas apply to one value, each because of the one before. */
const chainOf = (size: number) => {
  const end = { type: 'object', required: ['a'], properties: { a: { type: 'string' } } }
  const schemas = schemasOf(size, (index) => (index === size - 1 ? end : { allOf: [named(`S${String(index + 1)}`)] }))
  const requestBody = { required: true, content: json({ type: 'array', items: named('S0') }) }
  const post = { operationId: 'createThing', requestBody, responses: { 204: { description: 'Done.' }, ...failures } }
  return contractOf({ '/things': { post } }, { components: { schemas } })
}

test('schemas that apply to one value by the hundred are checked within seconds', async () => {
  expect(await problemsOf(chainOf(400))).toEqual([])
})

test('a contract of which a check cannot be carried out is refused, and not taken unchecked', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'openapi.yaml'), JSON.stringify(chainOf(300)))
  // As a contract several times as large has it on the usual stack.
  const cli = join(project, 'packages/fastify-contract/src/gate/cli.ts')
  const command = ['--stack-size=200', cli, 'generate']
  await expect(promisify(execFile)(process.execPath, command, { cwd: folder })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^openapi\.yaml:\d+:\d+: leads on through too many schemas to be checked; let fewer apply to a value\n/,
    ) as string,
  })
})

test('a schema that several refer to is compiled once', () => {
  const rewriter = new SchemaRewriter(
    { A: { type: 'object', properties: { b: named('B') } }, B: { counted: 1 } },
    undefined,
  )
  const ajv = createAjv('json', rewriter)
  let count = 0
  ajv.addKeyword({
    keyword: 'counted',
    compile: () => {
      count++
      return () => true
    },
  })
  ajv.opts.inlineRefs = false
  for (const schema of [named('B'), named('A'), { type: 'array', items: named('B') }]) {
    ajv.compile(rewriter.ofValue(schema) as object)
  }
  expect(count).toBe(1)
})

test('a schema that cannot be compiled is refused where it is written, though nothing refers to it', async () => {
  const schemas = { Unused: { then: { type: 'string' } } }
  const problems = await problemsOf(contractWith({}, { components: { schemas } }))
  expect(problems).toEqual([expect.stringMatching(/^openapi\.yaml:\d+:\d+: .*"if" without "then" and "else"|"then"/)])
})

test('a reference whose percent-encoding is broken is refused with its place', async () => {
  const content = json({ $ref: '#/components/schemas/%zz' })
  const responses = { 200: { description: 'A thing.', content }, ...failures }
  const problems = await problemsOf(contractWith({ responses }))
  expect(problems).toEqual([
    expect.stringMatching(
      /^openapi\.yaml:\d+:\d+: the percent-encoding of the reference .* is broken; write % as %25$/,
    ),
  ])
})

test('too many files that refer on to one another are refused with the remedy', async () => {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'schemas'))
  for (let index = 0; index < 1220; index++) {
    const $ref = `${String((index + 1) % 1220)}.yaml`
    const schema = { type: 'object', properties: { next: { $ref } } }
    await writeFile(join(folder, `schemas/${String(index)}.yaml`), JSON.stringify(schema))
  }
  const content = json({ $ref: 'schemas/0.yaml' })
  const contract = contractWith({ responses: { 200: { description: 'A thing.', content }, ...failures } })
  const read = readContract(Buffer.from(JSON.stringify(contract)), join(folder, 'openapi.yaml'))
  await expect(read).rejects.toThrow(BrokenContract)
  await expect(read).rejects.toThrow(/^openapi\.yaml: too many files .*; keep schemas that refer to one another in one/)
})
