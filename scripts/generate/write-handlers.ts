import type { ContractOperation } from '../../src/contract/document.ts'

/**
 * Where the handler of an operation lives: in the folder of its first tag, in a file named like the operation.
 *
 * @returns a path from the project's folder
 */
export function handlerFile({ id, object }: ContractOperation): string {
  return `src/${object.tags?.[0] ?? 'operations'}/${id}.ts`
}

/**
 * Writes where each operation's handler is imported from, so that the compiler and the start of the server find
 * the one that is missing.
 */
export function writeHandlers(operations: ContractOperation[]): string {
  const members = operations.map((operation) => `  ${operation.id}: () => import('../${handlerFile(operation)}'),\n`).sort()
  return `/** The module of each operation's handler, by operationId. */\nexport const handlerModules = {\n${members.join('')}} as const\n`
}
