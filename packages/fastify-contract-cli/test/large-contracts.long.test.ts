import { describe, expect, it } from 'vitest'
import { checkBreaking } from '../src/breaking/breaking.ts'
import { contractOf, folderWith, generateIn, json, noContent } from './contracts.ts'

const int64 = { type: 'integer', format: 'int64' }
const to = (name: string) => ({ $ref: `#/components/schemas/${name}` })

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
  it('of 1,220 schemas that reference one another is generated and compared', async () => {
    const root = await folderWith({ 'openapi.yaml': ringOf(1220), 'releases/openapi-1.0.0.yaml': ringOf(1220, 'Old') })
    expect(await generateIn(root)).toMatchObject({ ok: true })
    expect(await checkBreaking({ root, contract: 'openapi.yaml', folder: 'releases' }, undefined, true)).toEqual({
      ok: true,
      lines: [
        expect.stringMatching(/^editorial {3}info: title changed from "Old" to "Rings" \(openapi\.yaml:\d+:\d+\)$/),
        'compared with 1.0.0: 0 breaking, 0 compatible, 1 editorial',
      ],
    })
  })

  it('is refused if an operation takes half a second to compile', async () => {
    const nested = (levels: number): object =>
      levels === 0 ? int64 : { anyOf: ['a', 'b'].map((name) => ({ properties: { [name]: nested(levels - 1) } })) }
    const requestBody = { content: json(nested(11)) }
    const post = { operationId: 'createThing', requestBody, responses: noContent }
    const root = await folderWith({ 'openapi.yaml': contractOf({ '/things': { post } }) })
    const { ok, lines } = await generateIn(root)
    expect(ok).toBe(true)
    expect(lines[0]).toMatch(
      /^openapi\.yaml:\d+:\d+: warning: operation createThing: a schema of its requests takes \d\.\d s to compile, which blocks every client; split it into named schemas$/,
    )
  })
})
