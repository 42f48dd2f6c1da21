import type { ContractDocument } from '../../document/document.ts'
import type { Schema } from '../../schema/schema-parts.ts'
import type { Finding } from './findings.ts'

/** One of the numbers of the schema Error, as far as it is written. */
export interface ErrorNumber {
  number: unknown
  name: unknown
  description: unknown
}

/** Lists the error numbers of a contract with their names and texts. */
export function errorNumbersOf(document: ContractDocument): ErrorNumber[] {
  const error = errorProperty(document)
  const [numbers, names, descriptions] = ['enum', 'x-enum-varnames', 'x-enum-descriptions'].map((key) => {
    const list = error?.[key]
    return Array.isArray(list) ? (list as unknown[]) : []
  }) as [unknown[], unknown[], unknown[]]
  const length = numbers.length === 0 ? 0 : Math.max(numbers.length, names.length, descriptions.length)
  return Array.from({ length }, (_, index) => ({
    number: numbers[index],
    name: names[index],
    description: descriptions[index],
  }))
}

/** Finds what keeps the error numbers of a contract from being constants. */
export function checkErrorNumbers(document: ContractDocument): Finding[] {
  const place = 'components/schemas/Error/properties/error'
  const numbers = errorNumbersOf(document)
  const error = errorProperty(document)
  const at = error === undefined ? { object: document, key: 'components' } : { object: error, key: 'enum' }
  if (numbers.length === 0) {
    const own = Object.entries(ownNumbers).map((each) => each.join(' '))
    const text = `components/schemas/Error must have a message, a string, and an error, an enum of ${own.join(', ')}`
    return [{ at, text: `${text} and your own, with the names in x-enum-varnames and texts in x-enum-descriptions` }]
  }
  const texts = numbers.flatMap(({ number, name, description }, index) => {
    const where = `${place}: the number ${String(number)}`
    const firstOf = (key: keyof ErrorNumber, value: unknown) => numbers.findIndex((other) => other[key] === value)
    if (number === undefined) return [`${place}: has more x-enum-varnames or x-enum-descriptions than numbers`]
    const hasStatus = typeof number === 'number' && number >= 40_000 && number < 60_000
    const hasName = typeof name === 'string' && /^[a-z][a-z0-9_]*$/.test(name)
    return [
      ...(hasStatus ? [] : [`${where} does not begin with the HTTP status of a failure`]),
      ...(hasName ? [] : [`${where} has no name in x-enum-varnames, in lower case with underscores`]),
      ...(typeof description === 'string' ? [] : [`${where} has no text in x-enum-descriptions`]),
      ...(firstOf('number', number) === index ? [] : [`${where} is given twice`]),
      ...(typeof name !== 'string' || firstOf('name', name) === index
        ? []
        : [`${where} has the name ${name}, which another number has`]),
    ]
  })
  const missing = Object.entries(ownNumbers).filter(([number, name]) =>
    numbers.every((other) => String(other.number) !== number || other.name !== name),
  )
  const names = missing.map((each) => each.join(' ')).join(', ')
  const lacking = `${place}: lacks ${names}, which the service itself answers`
  return [
    ...(texts.length === 0 ? [] : [{ at, text: texts.join('; ') }]),
    ...(missing.length === 0 ? [] : [{ at, text: lacking }]),
  ]
}

/** The failures that the service answers by itself, whatever the contract is about. */
export const ownNumbers = {
  40000: 'malformed_body',
  40001: 'invalid_request',
  40002: 'malformed_http',
  40100: 'credentials_missing',
  40101: 'token_invalid',
  40400: 'path_not_found',
  40500: 'method_not_allowed',
  40800: 'request_timeout',
  41300: 'body_too_large',
  41500: 'unsupported_media_type',
  42900: 'rate_limited',
  43100: 'headers_too_large',
  50000: 'internal',
  50300: 'unavailable',
}

function errorProperty(document: ContractDocument): Schema | undefined {
  const properties = document.components?.schemas?.['Error']?.['properties'] as Record<string, Schema> | undefined
  return properties?.['error']
}
