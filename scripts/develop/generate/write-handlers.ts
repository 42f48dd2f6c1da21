import ts from 'typescript'
import type { ContractOperation } from '../../../src/contract/document.ts'

/**
 * Where the handler of an operation lives: in the folder of its first tag, in a file named like the operation.
 *
 * @returns a path from the project's folder
 */
export function handlerFile({ id, object }: ContractOperation): string {
  return `src/${object.tags?.[0] ?? 'operations'}/${id}.ts`
}

/** What keeps operations from having a function and a file of their names: one line for each, naming the operation. */
export function namingProblems(operations: ContractOperation[]): string[] {
  return operations.flatMap(({ id, object }) => {
    const tag = object.tags?.[0]
    return [
      ...(isFunctionName(id) ? [] : [`operation ${id}: its operationId is no name that a function can have`]),
      ...(tag === undefined || /^[a-z][a-z0-9-]*$/.test(tag) ? [] : [`operation ${id}: its first tag, ${JSON.stringify(tag)}, is no name of a folder in lower case`]),
    ]
  })
}

function isFunctionName(text: string): boolean {
  const token = ts.createScanner(ts.ScriptTarget.Latest, false, undefined, text).scan()
  return /^[A-Za-z][A-Za-z0-9]*$/.test(text) && !(token >= ts.SyntaxKind.FirstReservedWord && token <= ts.SyntaxKind.LastReservedWord)
}

/**
 * Writes where each operation's handler is imported from, so that the compiler and the start of the server find
 * the one that is missing.
 */
export function writeHandlers(operations: ContractOperation[]): string {
  const members = operations.map((operation) => `  ${operation.id}: () => import('../${handlerFile(operation)}'),\n`).sort()
  return `/** The module of each operation's handler, by operationId. */\nexport const handlerModules = {\n${members.join('')}} as const\n`
}
