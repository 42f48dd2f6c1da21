import { describe, expect, it } from 'vitest'
import { checkBreaking } from '../../src/gate/breaking/breaking.ts'
import { contractOf, contractWith, folderWith } from './contracts.ts'
import { generateIn, json, noContent, problemsOf } from './contracts.ts'

const text = { type: 'string' }
const int64 = { type: 'integer', format: 'int64' }
const to = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const withSchemas = (schemas: object) => contractWith({}, { components: { schemas } })

function chain(section: string): object {
  const names = Array.from({ length: 20_000 }, (_, index) => `A${String(index)}`)
  return Object.fromEntries(
    names.map((name, index) => [name, { $ref: `#/components/${section}/A${String(index + 1)}` }]),
  )
}

describe('a chain of references is refused', () => {
  it.each<[string, object]>([
    ['parameters that refer on 20,000 times', { parameters: chain('parameters') }],
    ['schemas that refer on 20,000 times', { schemas: chain('schemas') }],
  ])('without a stack and soon: %s', async (_kind, components) => {
    const problems = await problemsOf(contractWith({}, { components: components as { schemas?: object } }))
    expect(problems.join('\n')).toMatch(/the reference leads on over 100 others; refer to the last/)
  })
})

describe('a large contract', () => {
  /** Schemas each of which refers to the next, and the last to the first. */
  const ringOf = (size: number, title = 'Rings') => {
    const next = (index: number) => to(`S${String((index + 1) % size)}`)
    const schemaOf = (index: number) => ({ type: 'object', properties: { next: next(index), id: int64 } })
    const schemas = Object.fromEntries(
      Array.from({ length: size }, (_, index) => [`S${String(index)}`, schemaOf(index)]),
    )
    const requestBody = { content: json(to('S0')) }
    const post = { operationId: 'createThing', requestBody, responses: noContent }
    return contractOf({ '/things': { post } }, { info: { title, version: '1.0.0' }, components: { schemas } })
  }
  const chainOf = (size: number) => {
    const end = { type: 'object', required: ['a'], properties: { a: text } }
    const schemaOf = (index: number) => (index === size - 1 ? end : { allOf: [to(`S${String(index + 1)}`)] })
    const schemas = Object.fromEntries(
      Array.from({ length: size }, (_, index) => [`S${String(index)}`, schemaOf(index)]),
    )
    return withSchemas(schemas)
  }

  it('of 1,220 schemas that refer to one another is generated from and compared', { timeout: 120_000 }, async () => {
    const root = await folderWith({ 'openapi.yaml': ringOf(1220), 'releases/openapi-1.0.0.yaml': ringOf(1220, 'Old') })
    expect(await generateIn(root)).toMatchObject({ ok: true })
    expect(await checkBreaking({ root, contract: 'openapi.yaml', folder: 'releases' }, undefined)).toEqual({
      ok: true,
      lines: [
        expect.stringMatching(/^editorial {3}info: title changed from "Old" to "Rings" \(openapi\.yaml:\d+:\d+\)$/),
        'compared with 1.0.0: 0 breaking, 0 compatible, 1 editorial',
      ],
    })
  })

  it('of 1,220 files that refer to one another is generated from', { timeout: 120_000 }, async () => {
    const names = Array.from({ length: 1220 }, (_, index) => [index, (index + 1) % 1220] as const)
    const files = names.map(([index, next]): [string, object] => [
      `schemas/${String(index)}.yaml`,
      { type: 'object', properties: { next: { $ref: `${String(next)}.yaml` } } },
    ])
    const requestBody = { content: json({ $ref: 'schemas/0.yaml' }) }
    const post = { operationId: 'createThing', requestBody, responses: noContent }
    const contract = contractOf({ '/things': { post } })
    expect(
      await generateIn(await folderWith({ 'openapi.yaml': contract, ...Object.fromEntries(files) })),
    ).toMatchObject({ ok: true })
  })

  it('may have hundreds of schemas that apply to one value, and not thousands', { timeout: 60_000 }, async () => {
    expect(await problemsOf(chainOf(400))).toEqual([])
    expect(await problemsOf(chainOf(3_000))).toEqual([
      expect.stringMatching(/or 1000 in one another, apply to one value/),
    ])
  })
})
