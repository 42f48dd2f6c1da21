import { expect, test } from 'vitest'
import { bind, contractOf, serveEcho } from '../support/contracts.ts'

const integer = { type: 'integer' }
const object = (properties: object) => ({ type: 'object', properties })

/** An object whose properties are objects. */
const objects = (count: number) =>
  object(Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${String(index)}`, object({ a: integer })])))

/** The CPU time in microseconds in which the validators of requests with a body are compiled. */
async function compileTime(schema: object): Promise<number> {
  const requestBody = { content: { 'application/json': { schema } } }
  const [operation] = await bind(contractOf({ requestBody }), { getThing: () => ({ status: 200 }) })
  const start = process.cpuUsage()
  await operation!.validators.requests.run()
  const { user, system } = process.cpuUsage(start)
  return user + system
}

test('deeply nested alternatives compile fast', async () => {
  const levels = 22
  let schema: object = integer
  for (let level = 0; level < levels; level++) schema = { anyOf: [object({ a: schema }), { type: 'null' }] }
  const echo = await serveEcho(schema)
  const nested = (inside: string) => `${'{"a":'.repeat(levels)}${inside}${'}'.repeat(levels)}`
  expect(await echo(nested('5'))).toMatchObject({ status: 200, text: nested('5') })
  expect(await echo(nested('"5"'))).toMatchObject({ status: 400 })
})

test('the compile time of an object is linear in its properties', async () => {
  await compileTime(objects(150))
  let ratio = Infinity
  // Quadratic time is 64 times as long, linear time 8 times. Other work of the process makes some ratios larger.
  for (let round = 0; round < 4 && ratio >= 20; round++) {
    const few = await compileTime(objects(150))
    ratio = (await compileTime(objects(1_200))) / few
  }
  expect(ratio).toBeLessThan(20)
})
