import type { ContractDocument } from '../../document/document.ts'
import { refusalStatuses } from '../../engine/refusal.ts'
import { stringifyJson } from '../../json/json.ts'
import type { Finding } from './findings.ts'

/** One of the numbers of the schema Error, as far as it is written. */
export interface ErrorNumber {
  number: unknown
  name: unknown
  description: unknown
}

const place = 'components/schemas/Error/properties/error'

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

function errorProperty({ components }: ContractDocument): Record<string, unknown> | undefined {
  const properties = components?.schemas?.['Error']?.['properties']
  return (properties as Record<string, Record<string, unknown>> | undefined)?.['error']
}

/** A failure that the server answers by itself. */
export interface ServerFailure {
  name: string
  status: number
  /** The number that the contract gives it; where it gives none, a number that it could have. */
  number: number
}

/** The failures that the server answers by itself, those of a status by the order of its table. */
export function serverFailures(document: ContractDocument): ServerFailure[] {
  const given = new Map(errorNumbersOf(document).map(({ name, number }) => [name, number]))
  const all = Object.entries(refusalStatuses)
  return all.map(([name, status]) => {
    const suggested = status * 100 + all.filter((each) => each[1] === status).findIndex((each) => each[0] === name)
    const number = given.get(name)
    return { name, status, number: typeof number === 'number' ? number : suggested }
  })
}

/** Finds what keeps the error numbers of a contract from being constants. */
export function checkErrorNumbers(document: ContractDocument): Finding[] {
  const numbers = errorNumbersOf(document)
  const error = errorProperty(document)
  // An operation that asks for scopes is told to declare this one.
  const own = serverFailures(document).filter(({ name }) => name !== 'insufficient_scope')
  const inWords = (failures: ServerFailure[]) =>
    failures.map(({ number, name }) => `${String(number)} ${name}`).join(', ')
  const at = error === undefined ? { object: document, key: 'components' } : { object: error, key: 'enum' }
  if (numbers.length === 0) {
    const text = `components/schemas/Error must have a message, a string, and an error, an enum of ${inWords(own)}`
    return [{ at, text: `${text} and your own, with the names in x-enum-varnames and texts in x-enum-descriptions` }]
  }
  const texts = numbers.flatMap((each, index) => problemsOf(each, numbers.slice(0, index)))
  const isMissing = ({ name, status }: ServerFailure) =>
    numbers.every((other) => other.name !== name || statusOf(other.number) !== status)
  const missing = own.filter(isMissing)
  const lacking = `${place}: lacks ${inWords(missing)}, which the service itself answers`
  return [
    ...(texts.length === 0 ? [] : [{ at, text: texts.join('; ') }]),
    ...(missing.length === 0 ? [] : [{ at, text: lacking }]),
  ]
}

/** The HTTP status that the first three digits of an error number give. */
export function statusOf(number: unknown): number {
  return Math.floor(Number(number) / 100)
}

function problemsOf({ number, name, description }: ErrorNumber, before: ErrorNumber[]): string[] {
  if (number === undefined) return [`${place}: has more x-enum-varnames or x-enum-descriptions than numbers`]
  const where = `${place}: the number ${stringifyJson(number)}`
  const hasStatus = typeof number === 'number' && number >= 40_000 && number < 60_000
  const hasName = typeof name === 'string' && /^[a-z][a-z0-9_]*$/.test(name)
  const isNamedTwice = typeof name === 'string' && before.some((other) => other.name === name)
  return [
    ...(hasStatus ? [] : [`${where} does not begin with the HTTP status of a failure`]),
    ...(hasName ? [] : [`${where} has no name in x-enum-varnames, in lower case with underscores`]),
    ...(typeof description === 'string' ? [] : [`${where} has no text in x-enum-descriptions`]),
    ...(before.some((other) => other.number === number) ? [`${where} is given twice`] : []),
    ...(isNamedTwice ? [`${where} has the name ${name}, which another number has`] : []),
  ]
}
