import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import ts from 'typescript'
import type { ContractOperation } from '../../../src/contract/document.ts'
import { callerKindOf } from '../../../src/contract/security.ts'
import { addToTable, readTable, tableFile } from './handler-table.ts'

/**
 * Where the handler of an operation belongs: in the folder of its first tag, in a file named like the operation.
 *
 * @returns a path from the project's folder
 */
export function handlerFile({ id, object }: ContractOperation): string {
  return `src/${object.tags?.[0] ?? 'operations'}/${id}.ts`
}

/** Why an operation cannot have a function and a file of its name: one line for each reason. */
export function namingProblems(operations: ContractOperation[]): string[] {
  return operations.flatMap(({ id, object }) => {
    const tag = object.tags?.[0]
    return [
      ...(isFunctionName(id) ? [] : [`operation ${id}: its operationId is no name that a function can have`]),
      ...(tag === undefined || /^[a-z][a-z0-9-]*$/.test(tag)
        ? []
        : [`operation ${id}: its first tag, ${JSON.stringify(tag)}, is no name of a folder in lower case`]),
    ]
  })
}

function isFunctionName(text: string): boolean {
  const token = ts.createScanner(ts.ScriptTarget.Latest, false, undefined, text).scan()
  const isReserved = token >= ts.SyntaxKind.FirstReservedWord && token <= ts.SyntaxKind.LastReservedWord
  return /^[A-Za-z][A-Za-z0-9]*$/.test(text) && !isReserved
}

/** The operations that have no handler in the table of handlers, or whose file is missing. */
export function missingHandlers(root: string, operations: ContractOperation[]): ContractOperation[] {
  const table = readTable(root)
  return operations.filter((operation) => {
    // Where the table cannot be read, a file in the right place counts.
    const file = table === undefined ? handlerFile(operation) : table.files.get(operation.id)
    return file === undefined || !existsSync(join(root, file))
  })
}

/** Names each handler of the table whose operation is not in the contract, or whose file belongs elsewhere. */
export function strayHandlers(root: string, operations: ContractOperation[]): string[] {
  const expected = new Map(operations.map((operation) => [operation.id, handlerFile(operation)]))
  return [...(readTable(root)?.files ?? [])].sort().flatMap(([id, file]) => {
    const place = expected.get(id)
    if (place === file) return []
    return place === undefined
      ? `${file}: the contract has no operation ${id}; remove it from ${tableFile}, and the file if it is not needed`
      : `${file}: the contract wants the handler of ${id} in ${place}`
  })
}

/**
 * Writes a handler that throws until a person has written it, and adds it to the table of handlers.
 *
 * @returns what was done, a line for each file; an existing handler is left as it is
 */
export function scaffoldHandler(root: string, operation: ContractOperation): string[] {
  const { id } = operation
  // A handler that the table has, and that has lost its file, gets the file that the table imports.
  const file = readTable(root)?.files.get(id) ?? handlerFile(operation)
  const lines: string[] = []
  if (!existsSync(join(root, file))) {
    mkdirSync(join(root, dirname(file)), { recursive: true })
    writeFileSync(join(root, file), stubOf(operation, file), { flag: 'wx' })
    lines.push(`wrote ${file}`)
  }
  const added = addToTable(root, id, file)
  return added === undefined ? lines : [...lines, added]
}

function stubOf({ id, security }: ContractOperation, file: string): string {
  const context = posix.relative(dirname(file), 'src/plants/context.ts')
  const hasCaller = callerKindOf(security) === 'required'
  return `import type { ${hasCaller ? '' : 'ContextOf, '}Input, Reply } from '../contract/types.ts'
import type { PlantContext } from '${context.startsWith('.') ? context : `./${context}`}'

export function ${id}(_input: Input<'${id}'>, _context: ${hasCaller ? 'PlantContext' : `ContextOf<'${id}', PlantContext>`}): Promise<Reply<'${id}'>> {
  throw new Error('${id} is not written yet')
}
`
}
