import { errorNumbersOf } from '../contract/error-numbers.ts'
import type { ContractDocument } from '../../../src/contract/document.ts'

/**
 * Writes the error numbers of the contract as constants, each with the HTTP status that its first three digits give.
 *
 * @param document a contract whose error numbers are checked (`checkErrorNumbers`)
 */
export function writeErrors(document: ContractDocument): string {
  const members = errorNumbersOf(document).map(({ number, name, description }) => {
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
