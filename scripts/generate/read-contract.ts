import { createConfig, getLineColLocation, lintFromString } from '@redocly/openapi-core'
import { LineCounter, parseDocument } from 'yaml'
import { type ContractDocument, dereference } from '../../src/contract/document.ts'
import { problemsOf } from '../../src/contract/problems.ts'

/** A contract that cannot be generated from. The message has a line for each reason, with its place where it is known. */
export class BrokenContract extends Error {}

/** The structure that generation relies on; taste is for the linter. */
const rules = {
  struct: 'error',
  'no-unresolved-refs': 'error',
  'operation-operationId': 'error',
  'operation-operationId-unique': 'error',
  'path-parameters-defined': 'error',
  'no-identical-paths': 'error',
  'security-defined': 'error',
} as const

/**
 * Reads and judges a contract.
 *
 * @param source the text of openapi.yaml
 * @param file its name, for messages
 * @returns the document as it was written, integers beyond 2^53 as bigints
 * @throws BrokenContract
 */
export async function readContract(source: string, file: string): Promise<ContractDocument> {
  const lines = new LineCounter()
  const yaml = parseDocument(source, { lineCounter: lines, intAsBigInt: true })
  if (yaml.errors.length > 0) {
    throw new BrokenContract(
      yaml.errors
        .map(({ message, pos: [start] }) => {
          const { line, col } = lines.linePos(start)
          return `${file}:${String(line)}:${String(col)}: ${firstLine(message).replace(/ at line \d+, column \d+:?$/, '')}`
        })
        .join('\n'),
    )
  }
  const document: unknown = withNumbers(yaml.toJS())
  if (typeof document !== 'object' || document === null || !('openapi' in document)) throw new BrokenContract(`${file}:1:1: is not an OpenAPI document: it has no \`openapi\``)
  const config = await createConfig({ rules })
  const found = await lintFromString({ source, absoluteRef: file, config })
  if (found.length > 0) {
    throw new BrokenContract(
      found
        .map(({ message, location: [first] }) => {
          if (first === undefined) return `${file}: ${message}`
          const { start } = getLineColLocation(first)
          return `${file}:${String(start.line)}:${String(start.col)}: ${firstLine(message)} (${first.pointer ?? ''})`
        })
        .join('\n'),
    )
  }
  let problems: string[]
  try {
    problems = problemsOf(dereference(document))
  } catch (error) {
    problems = [error instanceof Error ? error.message : String(error)]
  }
  if (problems.length > 0) throw new BrokenContract(problems.map((problem) => `${file}: ${problem}`).join('\n'))
  // Redocly and problemsOf have judged the structure.
  return document as ContractDocument
}

/** Integers that a double holds become numbers again; `yaml` reads all or none as bigints. */
function withNumbers(node: unknown): unknown {
  if (typeof node === 'bigint') return Number.isSafeInteger(Number(node)) ? Number(node) : node
  if (Array.isArray(node)) return node.map(withNumbers)
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(Object.entries(node).map(([name, member]) => [name, withNumbers(member)]))
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}
