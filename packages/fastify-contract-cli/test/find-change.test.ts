import { documentOf, sealContract } from 'fastify-contract/document'
import { parseJsonWithBigInts, stringifyJson } from 'fastify-contract/json'
import { assert, type Arbitrary, array, bigInt, constant, dictionary, letrec, oneof, property } from 'fast-check'
import { expect, test } from 'vitest'
import { contractTexts } from '../src/generate/write-contract.ts'

/** Names that mean something to JavaScript or in a JSON Pointer. */
const names = oneof(...['a', 'b', '1', '0', '__proto__', 'x/y', '~', '%25', '', '$ref'].map(constant))

/** JSON whose parts are alike, so that a document and another one share many. */
const { json } = letrec<{ json: unknown }>((tie) => ({
  json: oneof(
    { depthSize: 'small', withCrossShrink: true },
    oneof(constant(null), constant(true), constant('#/x-data/a'), constant('text'), bigInt()),
    array(tie('json'), { maxLength: 4 }),
    dictionary(names, tie('json'), { maxKeys: 5 }) as Arbitrary<unknown>,
  ),
}))

/** A contract in which any JSON may stand in place of an extension. */
const contractOf = (data: unknown) => ({ openapi: '3.1.0', info: { title: 'Data', version: '1' }, 'x-data': data })

test('a generated contract has both documents exactly, the order of members too', () => {
  assert(
    property(json, json, (one, other) => {
      const [written, document] = [contractOf(one), contractOf(other)]
      const contract = sealContract(contractTexts({ written, document }))
      expect(stringifyJson(parseJsonWithBigInts(contract.document))).toBe(stringifyJson(written))
      expect(stringifyJson(documentOf(contract))).toBe(stringifyJson(document))
    }),
    { numRuns: 2_000 },
  )
})
