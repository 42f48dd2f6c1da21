import { readDecimal, readJsonInteger } from '../../../packages/fastify-contract/src/json/integers.ts'
import { MalformedJson, parseJson } from '../../../packages/fastify-contract/src/json/json.ts'
import { exactInteger, openJsonReference } from './references.ts'
import { mutate } from './mutate.ts'
import { type Random, createRandom } from './random.ts'

const documents = [
  '{"id":54,"name":"Monstera deliciosa","tag":"indoor"}',
  '{ "id" : 9007199254740993 ,\r\n\t"name":"\\ud83c\\udf31 \u{1f331}\\\\\\"",' +
    '"more":[-0,1.5e3,{"":null,"\\u0061":true}] }',
  '[[],{},[{"a":{"a":{"a":-9223372036854775808}}}],"",0,1e400,0.1,1E+2,18446744073709551616]',
  '{"a":1,"\\u0062":2,"c":{"a":1,"b":[1,2,{"c":12345678901234567890.5}]},' +
    '"__proto__":{"a":9007199254740993},"constructor":[1e16]}',
  '12345678901234567890',
].map((text) => Buffer.from(text))

/** SQLite's parser refuses a document that is deeper than 1,000. */
const maxDepth = 900

/**
 * Reads changed documents and numbers. Compares the results with SQLite's JSON parser and with exact arithmetic.
 *
 * @param first the number of the first document; the seed and a number decide what is read
 * @returns the first difference, or undefined
 */
export function compareReaders(seed: number, first: number, count: number): string | undefined {
  const reference = openJsonReference()
  try {
    for (let number = first; number < first + count; number++) {
      const random = createRandom(Math.imul(seed, 0x9e3779b1) + number)
      const problem = compareJson(mutate(documents, random), reference.read) ?? compareIntegers(random)
      if (problem !== undefined) return `seed ${String(seed)}, number ${String(number)}: ${problem}`
    }
    return undefined
  } finally {
    reference.close()
  }
}

function compareJson(bytes: Buffer, read: ReturnType<typeof openJsonReference>['read']): string | undefined {
  const text = bytes.toString()
  if ((text.match(/[[{]/g)?.length ?? 0) > maxDepth) return undefined
  const expected = read(bytes)
  if (expected === 'unknown') return undefined
  const shown = JSON.stringify(text.slice(0, 1_000))
  try {
    const { value, sources } = parseJson(bytes)
    if (expected === 'malformed' || expected === 'doubled name') return `${shown} is read, and is ${expected}`
    for (const { path, text: atom, source } of expected) {
      const key = path.at(-1)
      if (key === undefined) continue
      const container = path
        .slice(0, -1)
        .reduce<unknown>((parent, name) => (parent as Record<string, unknown>)[name], value) as Record<string, unknown>
      const found = Object.hasOwn(container, key) ? container[key] : undefined
      if (atom !== undefined && found !== atom)
        return `${shown} has ${JSON.stringify(found)} at ${path.join('/')}, not ${JSON.stringify(atom)}`
      if (source !== undefined && !isWrittenAs(found, sources.get(container)?.get(key), source))
        return `${shown} has ${String(found)} at ${path.join('/')}, not ${source}`
    }
    return undefined
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error
    const kind = error.message.endsWith(' twice') ? 'doubled name' : 'malformed'
    return expected === kind ? undefined : `${shown} is refused with "${error.message}"`
  }
}

/** Whether a reader knows how a number was written, or its double is exact. */
function isWrittenAs(found: unknown, known: string | undefined, source: string): boolean {
  return known === undefined ? Object.is(found, Number(source)) && /^-?\d{1,15}$/.test(source) : known === source
}

function compareIntegers({ below, one }: Random): string | undefined {
  const digits = (maxLength: number) =>
    Array.from({ length: 1 + below(maxLength) }, () => '0000123456789'.charAt(below(13))).join('')
  const edge = String(
    one([0n, 2n ** 31n, 2n ** 53n, 10n ** 15n, 10n ** 16n, 2n ** 63n, 10n ** 19n]) + BigInt(below(5) - 2),
  )
  const sign = one(['', '-'])
  const whole = one([digits(21), edge.replace('-', '')]).replace(/^0+(?=.)/, '')
  const fraction = one(['', '', '0', '00', digits(20)])
  const exponent = one([undefined, undefined, 0, below(50) - 25])
  const exponentText =
    exponent === undefined ? '' : `${one(['e', 'E'])}${exponent < 0 ? '' : one(['', '+'])}${String(exponent)}`
  const source = `${sign}${whole}${fraction && `.${fraction}`}${exponentText}`
  const integer = exactInteger(sign, whole, fraction, exponent)
  if (readJsonInteger(source) !== integer)
    return `the JSON number ${source} is read as ${String(readJsonInteger(source))}`

  const text = one([source, `${sign}${whole}`, mutate([Buffer.from(source)], { below, one }).toString('latin1')])
  const isCanonical = text.length <= 20 && /^-?\d+$/.test(text) && String(BigInt(text)) === text
  const expected = isCanonical ? BigInt(text) : undefined
  return readDecimal(text) === expected ? undefined : `${JSON.stringify(text)} is read as ${String(readDecimal(text))}`
}
