import { hash } from 'node:crypto'
import { basename, posix, resolve } from 'node:path'
import { type ContractOperation, stampOf } from 'fastify-contract/document'
import { stringifyJson } from 'fastify-contract/json'
import { readContract } from '../check/read-contract.ts'
import { readSource } from '../check/read-file.ts'
import { writeTypes } from './write-types.ts'

/** The files of a service. Paths are relative to the root, with `/` as separator. */
export interface Project {
  root: string
  contract: string
  /** The folder of the generated files, without others. */
  out: string
  /** The table of handlers; `contract.ts` and `context.ts` beside it bind the handlers' types. */
  handlers: string
  /** The service's paths outside the contract. */
  reserved: readonly string[]
  /** Whether warnings are refusals. */
  strict: boolean
}

/** The generated files of a contract. */
export interface ContractFiles {
  /** The contents by file name. */
  files: Map<string, string>
  operations: ContractOperation[]
  /** One line for each warning. */
  warnings: string[]
}

/**
 * Generates the content of each file. It depends only on the contract, byte for byte.
 *
 * @throws BrokenContract
 */
export async function generateFiles(
  project: Pick<Project, 'root' | 'contract' | 'out' | 'reserved' | 'strict'>,
): Promise<ContractFiles> {
  const { root, contract, out, reserved, strict } = project
  const path = resolve(root, contract)
  const source = readSource(path, contract)
  const { document, operations, warnings, referred } = await readContract(source, path, contract, { reserved, strict })
  const origin = `${basename(contract)} sha256:${hash('sha256', source)}`
  const stamp = `// Generated from ${origin} by fastify-contract. Do not edit.\n`
  const json = `${stringifyJson({ ...document, 'x-generated-from': origin }, 2)}\n`
  // The server starts only if all of these match.
  const others = [...referred].map(([name, content]) => [posix.join(posix.dirname(contract), name), content] as const)
  const stamped = [[contract, source], ...others, [`${out}/contract.json`, json]] as const
  const files = new Map([
    ['openapi.ts', `${stamp}\n${writeTypes(document, operations)}`],
    ['contract.json', json],
    // Last, because files are replaced in this order.
    ['contract.sha256', stampOf(stamped)],
  ])
  return { files, operations, warnings }
}
