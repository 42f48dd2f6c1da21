import type { ContractDocument } from '../../src/contract/document.ts'

/**
 * Writes the error numbers of the contract as constants, each with the HTTP status that its first three digits give.
 *
 * @param document the contract; `components/schemas/Error/properties/error` is an enum with `x-enum-varnames`
 * @throws Error when numbers and names do not go together
 */
export function writeErrors(document: ContractDocument): string {
  const schema = document.components?.schemas?.['Error']
  const { error } = (schema?.['properties'] ?? {}) as { error?: { enum?: number[]; 'x-enum-varnames'?: string[]; 'x-enum-descriptions'?: string[] } }
  const numbers = error?.enum ?? []
  const names = error?.['x-enum-varnames'] ?? []
  const descriptions = error?.['x-enum-descriptions'] ?? []
  if (numbers.length === 0 || names.length !== numbers.length || descriptions.length !== numbers.length) {
    throw new Error('components/schemas/Error/properties/error: needs an enum, and as many x-enum-varnames and x-enum-descriptions as it has numbers')
  }
  const members = numbers.map((number, index) => {
    const status = Math.floor(number / 100)
    return `  /** ${String(descriptions[index])} */\n  ${String(names[index])}: { error: ${String(number)}, status: ${String(status)} },\n`
  })
  return `/** Every failure that the contract knows, by name. */\nexport const errors = {\n${members.join('')}} as const\n\nexport type ErrorName = keyof typeof errors\n`
}
