import { basename, join } from 'node:path'
import { contractFile } from '../../document/document.ts'
import { type ContractDocument, type ContractOperation, dereference, operationsOf } from '../../document/document.ts'
import { sha256, stampFile, stampOf } from '../../document/load-contract.ts'
import { stringifyJson } from '../../json/json.ts'
import { errorNumbersOf } from '../check/error-numbers.ts'
import { readSource } from '../check/read-file.ts'
import { readContract } from '../check/read-contract.ts'
import { withoutDirectives } from './write/prepare-for-types.ts'
import { writeClient } from './write/write-client.ts'
import { writeTypes } from './write/write-types.ts'

/**
 * Makes the content of each generated file, from the contract alone: the same contract gives the same bytes.
 *
 * @param root the project's folder
 * @returns contents by file name, the operations of the contract, a line for each warning about it, and the files that
 *   it refers to
 * @throws BrokenContract
 */
export async function generateFiles(
  root: string,
): Promise<{ files: Map<string, string>; operations: ContractOperation[]; warnings: string[]; referred: string[] }> {
  const source = readSource(join(root, contractFile))
  const { document, warnings, referred } = await readContract(source, join(root, contractFile))
  const origin = `${contractFile} sha256:${sha256(source)}`
  const stamp = `// Generated from ${origin} by npm run generate. Do not edit.\n`
  const operations = operationsOf(dereference(document))
  const json = `${stringifyJson({ ...document, 'x-generated-from': origin }, 2)}\n`
  const files = new Map([
    ['client.ts', `${stamp}\n${writeClient(document, operations)}`],
    ['errors.ts', `${stamp}\n${writeErrors(document)}`],
    ['openapi.ts', `${stamp}\n${writeTypes(document, operations)}`],
    ['contract.json', json],
    // Moved into place last: the server starts only where it matches contract.json and the files of the contract.
    [basename(stampFile), stampOf(source, json, referred)],
  ])
  return { files, operations, warnings, referred: [...referred.keys()] }
}

/**
 * Writes the error numbers of the contract as constants, each with the HTTP status that its first three digits give.
 *
 * @param document a contract whose error numbers are checked (`checkErrorNumbers`)
 */
function writeErrors(document: ContractDocument): string {
  const members = errorNumbersOf(document).map(({ number, name, description }) => {
    const lines = withoutDirectives(String(description))
      .replaceAll('*/', '*\u200b/')
      .split('\n')
      .map((line) => line.trim())
    const text = lines.filter((line) => line !== '').join(' ')
    const status = Math.floor(Number(number) / 100)
    return `  /** ${text} */\n  ${String(name)}: { error: ${String(number)}, status: ${String(status)} },\n`
  })
  return [
    '/** Every failure that the contract knows, by name. */',
    `export const errors = {\n${members.join('')}} as const\n`,
    'export type ErrorName = keyof typeof errors\n',
  ].join('\n')
}
