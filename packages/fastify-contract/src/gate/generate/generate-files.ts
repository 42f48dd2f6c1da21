import { basename, posix, resolve } from 'node:path'
import { type ContractDocument, type ContractOperation, dereference, operationsOf } from '../../document/document.ts'
import { sha256, stampOf } from '../../document/load-contract.ts'
import { stringifyJson } from '../../json/json.ts'
import { errorNumbersOf, statusOf } from '../check/check-failures.ts'
import { readContract } from '../check/read-contract.ts'
import { readSource } from '../check/read-file.ts'
import { withoutDirectives } from './prepare-for-types.ts'
import { writeClient } from './write-client.ts'
import { writeTypes } from './write-types.ts'

/** A service that is generated for. Files and folders are named from the root, with `/` between. */
export interface Project {
  root: string
  contract: string
  /** The folder of the generated files, which has no others. */
  out: string
  /** The file of the table of handlers; `contract.ts` and `context.ts` beside it bind the types of handlers. */
  handlers: string
  /** The paths that the service answers beside the contract. */
  reserved: readonly string[]
}

/** What is generated from a contract. */
export interface ContractFiles {
  /** The contents by file name. */
  files: Map<string, string>
  operations: ContractOperation[]
  /** A line for each warning about the contract. */
  warnings: string[]
}

/**
 * Makes the content of each generated file, from the contract alone: the same contract gives the same bytes.
 *
 * @throws BrokenContract
 */
export async function generateFiles(
  project: Pick<Project, 'root' | 'contract' | 'out' | 'reserved'>,
): Promise<ContractFiles> {
  const { root, contract, out, reserved } = project
  const path = resolve(root, contract)
  const source = readSource(path, contract)
  const { document, warnings, referred } = await readContract(source, path, contract, reserved)
  const origin = `${basename(contract)} sha256:${sha256(source)}`
  const stamp = `// Generated from ${origin} by fastify-contract. Do not edit.\n`
  const operations = operationsOf(dereference(document))
  const json = `${stringifyJson({ ...document, 'x-generated-from': origin }, 2)}\n`
  // The server starts only where all of them match.
  const others = [...referred].map(([name, content]) => [posix.join(posix.dirname(contract), name), content] as const)
  const stamped = [[contract, source], ...others, [`${out}/contract.json`, json]] as const
  const files = new Map([
    ['client.ts', `${stamp}\n${writeClient(document, operations)}`],
    ['errors.ts', `${stamp}\n${writeErrors(document)}`],
    ['openapi.ts', `${stamp}\n${writeTypes(document, operations)}`],
    ['contract.json', json],
    // Moved into place last.
    ['contract.sha256', stampOf(stamped)],
  ])
  return { files, operations, warnings }
}

/** Writes the error numbers of a checked contract as constants, each with the HTTP status that it begins with. */
function writeErrors(document: ContractDocument): string {
  const members = errorNumbersOf(document).map(({ number, name, description }) => {
    const lines = withoutDirectives(String(description))
      .replaceAll('*/', '*\u200b/')
      .split('\n')
      .map((line) => line.trim())
    const text = lines.filter((line) => line !== '').join(' ')
    const status = String(statusOf(number))
    return `  /** ${text} */\n  ${String(name)}: { error: ${String(number)}, status: ${status} },\n`
  })
  return [
    '/** Every failure that the contract knows, by name. */',
    `export const errors = {\n${members.join('')}} as const\n`,
    'export type ErrorName = keyof typeof errors\n',
  ].join('\n')
}
