import fc from 'fast-check'

const moment = fc
  .date({ min: new Date('1970-01-01T00:00:00Z'), max: new Date('2099-12-31T23:59:59Z'), noInvalidDate: true })
  .map((date) => date.toISOString())

/** Texts of each format that the contract may use and that is more than a text. Those of URLs take a second to make. */
const formats: Partial<Record<string, () => fc.Arbitrary<string>>> = {
  date: () => moment.map((text) => text.slice(0, 10)),
  'date-time': () => moment,
  time: () => moment.map((text) => text.slice(11)),
  duration: () => fc.constantFrom('P1D', 'PT1H30M', 'P1Y2M3DT4H5M6S', 'P2W'),
  uuid: () => fc.uuid(),
  email: () => fc.stringMatching(/^[a-z0-9]{1,12}@[a-z]{1,10}\.(?:org|example)$/),
  hostname: () => fc.domain(),
  ipv4: () => fc.ipV4(),
  ipv6: () => fc.ipV6(),
  uri: () => fc.webUrl(),
  url: () => fc.constantFrom('https://plants.example/', 'http://a.example:8080/b?c=d#e'),
  'uri-reference': () => fc.webPath(),
  'uri-template': () => fc.constantFrom('/plants/{id}', '/plants{?limit}'),
  'json-pointer': () => fc.constantFrom('', '/a', '/a~0b/0', '/a~1b'),
  'relative-json-pointer': () => fc.constantFrom('0', '1/a', '2#'),
  regex: () => fc.constantFrom('^a+$', '[a-z]*', '\\d{2}'),
  byte: () => fc.base64String(),
}

/** Formats that every text has. */
const plain = ['password', 'binary']

/**
 * Texts of a format.
 *
 * @returns undefined where the format is that of any text
 * @throws Error when there are none for the format
 */
export function formatted(format: string | undefined, examples: unknown[]): fc.Arbitrary<string> | undefined {
  if (format === undefined || plain.includes(format)) return undefined
  const texts = examples.filter((example) => typeof example === 'string')
  const known = formats[format]?.() ?? (texts.length > 0 ? fc.constantFrom(...texts) : undefined)
  if (known === undefined)
    throw new Error(`the contract's tests draw no ${format}; give its schema examples, or teach format-arbitrary.ts`)
  return known
}

/** Texts that are of no format but those of any text. */
export const formless = fc.constantFrom('no such thing \\(', '\u0001%zz', 'a b c {')
