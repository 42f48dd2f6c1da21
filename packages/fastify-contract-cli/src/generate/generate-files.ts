import { hash } from 'node:crypto'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import type { ContractDocument, ContractOperation } from 'fastify-contract/document'
import { readCheckedContract } from '../model/read-contract.ts'
import { holderOf, readSource } from '../model/yaml/read-file.ts'
import { contractTexts, writeContract } from './write-contract.ts'
import { writeTypes } from './write-types.ts'

/** The files of a service. Paths are relative to the root, with `/` as separator. */
export interface Project {
  root: string
  contract: string
  /** The folder of the generated files, without others. */
  out: string
  /** The folder that holds all files of the contract, if it is not that of the contract. */
  filesRoot?: string
  /** Whether warnings are refusals. */
  strict?: boolean
}

/** The generated files of a contract. */
export interface ContractFiles {
  /** The contents by file name. */
  files: Map<string, string>
  document: ContractDocument
  operations: ContractOperation[]
  /** The files of the contract, by their paths relative to its folder. */
  sources: Map<string, Uint8Array>
  /** One line for each warning. */
  warnings: string[]
}

/**
 * Generates the content of each file. It depends only on the contract, byte for byte.
 *
 * @throws BrokenContract
 */
export async function generateFiles(project: Project): Promise<ContractFiles> {
  const { root, contract, out, filesRoot, strict = false } = project
  const path = resolve(root, contract)
  const source = readSource(path, contract)
  const holder = filesRoot === undefined ? undefined : holderOf(path, contract, resolve(root, filesRoot))
  const read = await readCheckedContract(source, path, contract, { strict, root: holder })
  const { document, operations, warnings, referred } = read
  const sources = new Map<string, Uint8Array>([[basename(contract), source], ...referred])
  const fromOut = (file: string) => relative(resolve(root, out), file).replaceAll(sep, '/')
  const sums = [...sources].map(([name, content]) => {
    return [fromOut(join(dirname(path), name)), hash('sha256', content)] as const
  })
  const rootOption = holder === undefined ? {} : { root: fromOut(holder) }
  const header = `// Generated from ${basename(contract)} by fastify-contract. Do not edit.\n`
  const files = new Map([
    ['openapi.ts', `${header}\n${writeTypes(read)}`],
    // Last, because files are replaced in this order.
    [
      'contract.ts',
      `${header}\n${writeContract({ sources: Object.fromEntries(sums), ...rootOption, ...contractTexts(read) }, document)}`,
    ],
  ])
  return { files, document, operations, sources, warnings }
}
