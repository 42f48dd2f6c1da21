import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import type { ContractOperation } from '../../document/document.ts'
import { callerKindOf } from '../../document/security.ts'
import { type HandlerName, handlerNames } from './handler-names.ts'
import { addToTable, quoted, readTable, tableFile } from './handler-table.ts'

/** The operations that have no handler in the table of handlers, or whose file is missing. */
export function missingHandlers(root: string, operations: ContractOperation[]): ContractOperation[] {
  const table = readTable(root)
  const names = handlerNames(operations)
  return operations.filter(({ id }) => {
    // Where the table cannot be read, a file in the right place counts.
    const file = table === undefined ? names.get(id)?.file : table.files.get(id)
    return file === undefined || !existsSync(join(root, file))
  })
}

/** The handlers of the table whose operation is not in the contract: with them no server starts. */
export function leftOverHandlers(root: string, operations: ContractOperation[]): string[] {
  return [...(readTable(root)?.files.keys() ?? [])].filter((id) => operations.every((operation) => operation.id !== id))
}

/** Names each handler of the table whose operation is not in the contract, or whose file belongs elsewhere. */
export function strayHandlers(root: string, operations: ContractOperation[]): string[] {
  const expected = handlerNames(operations)
  return [...(readTable(root)?.files ?? [])].sort().flatMap(([id, file]) => {
    const place = expected.get(id)?.file
    if (place === file) return []
    return place === undefined
      ? `${file}: the contract has no operation ${id}; remove it from ${tableFile}, and the file if it is not needed`
      : `${file}: the contract wants the handler of ${id} in ${place}`
  })
}

/**
 * Writes a handler that throws until a person has written it, and adds it to the table of handlers.
 *
 * @param operations all of the contract, which decide about the names
 * @returns what was done, a line for each file; an existing handler is left as it is
 */
export function scaffoldHandler(root: string, operation: ContractOperation, operations: ContractOperation[]): string[] {
  const { id } = operation
  // The operation is one of them.
  const expected = handlerNames(operations).get(id)!
  // A handler that the table has, and that has lost its file, gets the file that the table imports.
  const handler = { ...expected, file: readTable(root)?.files.get(id) ?? expected.file }
  const lines: string[] = []
  if (!existsSync(join(root, handler.file))) {
    mkdirSync(join(root, dirname(handler.file)), { recursive: true })
    writeFileSync(join(root, handler.file), stubOf(operation, handler), { flag: 'wx' })
    lines.push(`wrote ${handler.file}`)
  }
  const added = addToTable(root, id, handler)
  return added === undefined ? lines : [...lines, added]
}

function stubOf({ id, security }: ContractOperation, { name, file }: HandlerName): string {
  const context = posix.relative(dirname(file), 'src/context.ts')
  const hasCaller = callerKindOf(security) === 'required'
  const key = quoted(id)
  const contextType = hasCaller ? 'HandlerContext' : `ContextOf<${key}, HandlerContext>`
  return `import type { ${hasCaller ? '' : 'ContextOf, '}Input, Reply } from '../contract.ts'
import type { HandlerContext } from '${context.startsWith('.') ? context : `./${context}`}'

export function ${name}(_input: Input<${key}>, _context: ${contextType}): Promise<Reply<${key}>> {
  throw new Error(${quoted(`${id} is not written yet`)})
}
`
}
