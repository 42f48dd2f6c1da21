import { createConfig, getLineColLocation, lintFromString } from '@redocly/openapi-core'
import { LineCounter, parseDocument } from 'yaml'
import { type ContractDocument, dereference, operationsOf } from '../../../src/contract/document.ts'
import { checkContract } from '../../../src/contract/check-contract.ts'
import { createLocator } from './locate.ts'
import { errorProblems } from './write-errors.ts'
import { namingProblems } from './handler-files.ts'

/**
 * A contract that cannot be generated from. The message has a line for each reason, with its place where it is known.
 */
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

/** One mistake often breaks a contract in many places, so only the first ones are printed. */
const maxLines = 8

/**
 * Reads and validates a contract.
 *
 * @param source the text of openapi.yaml
 * @param file its name, for messages
 * @returns the document as it was written, integers beyond 2^53 as bigints
 * @throws BrokenContract
 */
export async function readContract(source: string, file: string): Promise<ContractDocument> {
  const { document, locate } = await readOpenApi(source, file)
  refuse(
    servingProblems(document).map((text) => ({ ...locate(text), text })),
    file,
  )
  return document
}

/**
 * Reads a contract and validates only its structure: not whether this service can serve it, and no examples.
 *
 * @throws BrokenContract
 */
export async function readOpenApi(source: string, file: string) {
  const { document, locate } = parseContract(source, file)
  const { openapi } = document
  if (openapi === undefined)
    refuse([{ line: 1, col: 1, text: 'is not an OpenAPI document: it has no `openapi`' }], file)
  if (!/^3\.1\.\d+$/.test(String(openapi)))
    refuse(
      [
        {
          ...locate('openapi'),
          text: `openapi must be 3.1.x, the version that this service reads, not ${JSON.stringify(openapi)}`,
        },
      ],
      file,
    )
  refuse(await structureFindings(source, file), file)
  // Redocly has validated the structure.
  return { document: document as unknown as ContractDocument, locate }
}

/**
 * Reads YAML without validating its structure.
 *
 * @returns the mapping that it is, integers beyond 2^53 as bigints, and what finds the places of its members
 * @throws BrokenContract where it is not YAML or no mapping
 */
export function parseContract(source: string, file: string) {
  const lines = new LineCounter()
  const yaml = parseDocument(source, { lineCounter: lines, intAsBigInt: true })
  refuse(
    yaml.errors.map(({ message, pos: [start] }) => {
      const { line, col } = lines.linePos(start)
      return { line, col, text: firstLine(message).replace(/ at line \d+, column \d+:?$/, '') }
    }),
    file,
  )
  return { document: readMapping(() => withNumbers(yaml.toJS()), file), locate: createLocator(yaml, lines) }
}

interface Finding {
  line?: number
  col?: number
  text: string
}

function refuse(findings: Finding[], file: string): void {
  if (findings.length === 0) return
  // One mistake in a component is found wherever the component is used.
  const distinct = [
    ...new Map(
      findings.map((finding) => [
        `${String(finding.line)}:${String(finding.col)} ${finding.text.split(': ').at(-1) ?? ''}`,
        finding,
      ]),
    ).values(),
  ]
  const inOrder = distinct.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.col ?? 0) - (b.col ?? 0))
  const shown = inOrder
    .slice(0, maxLines)
    .map(({ line, col, text }) => `${file}${line === undefined ? '' : `:${String(line)}:${String(col)}`}: ${text}`)
  if (inOrder.length > maxLines) shown.push(`${file}: and ${String(inOrder.length - maxLines)} more`)
  throw new BrokenContract(shown.join('\n'))
}

function readMapping(read: () => unknown, file: string): Record<string, unknown> {
  let document: unknown
  try {
    document = read()
  } catch (error) {
    // An alias without its anchor, or with too many expansions.
    throw new BrokenContract(`${file}: ${messageOf(error)}`, { cause: error })
  }
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw new BrokenContract(`${file}:1:1: is not an OpenAPI document: it is no mapping`)
  return document as Record<string, unknown>
}

async function structureFindings(source: string, file: string): Promise<Finding[]> {
  const found = await lintFromString({ source, absoluteRef: file, config: await createConfig({ rules }) })
  const texts = source.split('\n')
  return found.map(({ message, location: [first] }) => {
    if (first === undefined) return { text: firstLine(message) }
    const { line, col } = getLineColLocation(first).start
    const reference = /\$ref: *(.+?) *$/.exec(texts[line - 1] ?? '')?.[1]
    const isReference = message.startsWith("Can't resolve $ref") && reference !== undefined
    return {
      line,
      col,
      text: isReference
        ? `the reference ${reference} leads to nothing`
        : `${firstLine(message)} (${first.pointer ?? ''})`,
    }
  })
}

function servingProblems(document: ContractDocument): string[] {
  try {
    const dereferenced = dereference(document)
    const problems = checkContract(dereferenced)
    return problems.length > 0 ? problems : [...namingProblems(operationsOf(dereferenced)), ...errorProblems(document)]
  } catch (error) {
    return [messageOf(error)]
  }
}

/** Integers that a double holds become numbers again; `yaml` reads all or none as bigints. */
function withNumbers(node: unknown): unknown {
  if (typeof node === 'bigint') return Number.isSafeInteger(Number(node)) ? Number(node) : node
  if (Array.isArray(node)) return node.map(withNumbers)
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(Object.entries(node).map(([name, member]) => [name, withNumbers(member)]))
}

function messageOf(error: unknown): string {
  return firstLine(error instanceof Error ? error.message : String(error))
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}
