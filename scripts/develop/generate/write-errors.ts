import type { ContractDocument } from '../../../src/contract/document.ts'

interface ErrorNumber {
  number: unknown
  name: unknown
  description: unknown
}

/** What keeps the error numbers of the contract from being constants: one line for each, naming its place. */
export function errorProblems(document: ContractDocument): string[] {
  const place = 'components/schemas/Error/properties/error'
  const numbers = errorNumbers(document)
  if (numbers.length === 0) return [`${place}: must be an enum, with x-enum-varnames and x-enum-descriptions`]
  return numbers.flatMap(({ number, name, description }, index) => {
    const where = `${place}: the number ${String(number)}`
    const firstOf = (key: keyof ErrorNumber, value: unknown) => numbers.findIndex((other) => other[key] === value)
    if (number === undefined) return [`${place}: has more x-enum-varnames or x-enum-descriptions than numbers`]
    return [
      ...(typeof number === 'number' && number >= 40_000 && number < 60_000
        ? []
        : [`${where} does not begin with the HTTP status of a failure`]),
      ...(typeof name === 'string' && /^[a-z][a-z0-9_]*$/.test(name)
        ? []
        : [`${where} has no name in x-enum-varnames, in lower case with underscores`]),
      ...(typeof description === 'string' ? [] : [`${where} has no text in x-enum-descriptions`]),
      ...(firstOf('number', number) === index ? [] : [`${where} is given twice`]),
      ...(typeof name !== 'string' || firstOf('name', name) === index
        ? []
        : [`${where} has the name ${name}, which another number has`]),
    ]
  })
}

/**
 * Writes the error numbers of the contract as constants, each with the HTTP status that its first three digits give.
 *
 * @param document a contract without `errorProblems`
 */
export function writeErrors(document: ContractDocument): string {
  const members = errorNumbers(document).map(({ number, name, description }) => {
    const text = String(description)
      .trim()
      .replaceAll('*/', '*\u200b/')
      .replaceAll(/\s*\n\s*/g, ' ')
    const status = Math.floor(Number(number) / 100)
    return `  /** ${text} */\n  ${String(name)}: { error: ${String(number)}, status: ${String(status)} },\n`
  })
  return [
    '/** Every failure that the contract knows, by name. */',
    `export const errors = {\n${members.join('')}} as const\n`,
    'export type ErrorName = keyof typeof errors\n',
  ].join('\n')
}

function errorNumbers(document: ContractDocument): ErrorNumber[] {
  const schema = document.components?.schemas?.['Error']
  const { error } = (schema?.['properties'] ?? {}) as { error?: Record<string, unknown> }
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
