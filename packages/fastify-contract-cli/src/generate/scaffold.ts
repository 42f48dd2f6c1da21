import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import type { ContractOperation } from 'fastify-contract/document'
import { callerKindOf } from 'fastify-contract/security'
import ts from 'typescript'

/** The members of `export const handlers = { … }`. */
const tableOf = /(export const handlers\b[^=]*=\s*\{)([^]*?)(,?\s*)(\})/

/**
 * Lists the operations without a handler, or writes a stub for each. Existing files are kept.
 *
 * @param file the table of handlers, relative to the root
 * @param operations all operations of the contract
 * @returns a line for each operation or file
 */
export function scaffold(
  root: string,
  file: string,
  operations: readonly ContractOperation[],
  writes: boolean,
): string[] {
  const path = join(root, file)
  // The service may keep its handlers elsewhere.
  if (!existsSync(path) && !writes) return []
  const taken = new Set<string>()
  return operations.flatMap((operation) => {
    const { id, object } = operation
    const name = functionName(id, taken)
    const table = existsSync(path) ? readFileSync(path, 'utf8') : ''
    const [, , members] = tableOf.exec(table) ?? []
    const key = propertyName(id)
    if (members !== undefined && hasMember(members, key, id)) return []
    const handler = posix.join(posix.dirname(file), folderName(object.tags?.[0]), `${name}.ts`)
    // Without a readable table, an existing file counts.
    if (members === undefined && existsSync(join(root, handler))) return []
    if (!writes) return [`operation ${id}: has no handler; run npx fastify-contract generate --scaffold`]
    const lines: string[] = []
    if (!existsSync(join(root, handler))) {
      mkdirSync(join(root, dirname(handler)), { recursive: true })
      writeFileSync(join(root, handler), stubOf(operation, name, posix.relative(posix.dirname(handler), dirname(file))))
      lines.push(`wrote ${handler}`)
    }
    const importLine = `import { ${name} } from './${posix.relative(posix.dirname(file), handler)}'\n`
    const entry = id === name ? name : `${key}: ${name}`
    if (members === undefined) {
      return [...lines, `add \`${importLine.trim()}\`, and \`${entry}\` to the object \`handlers\` in ${file}`]
    }
    const added = table.replace(tableOf, (_all, start: string, inside: string, end: string, close: string) =>
      inside.trim() === '' ? `${start} ${entry} ${close}` : `${start}${inside}, ${entry}${end}${close}`,
    )
    writeFileSync(path, importLine + added)
    return [...lines, `added ${id} to ${file}`]
  })
}

function hasMember(members: string, key: string, id: string): boolean {
  return key === id
    ? new RegExp(`(?<![\\w$.])${id.replaceAll('$', '\\$')}(?![\\w$])`).test(members)
    : members.includes(key)
}

/** @param toTable the folder of the table, from that of the handler */
function stubOf({ id, security }: ContractOperation, name: string, toTable: string): string {
  const hasCaller = callerKindOf(security) === 'required'
  const key = quoted(id)
  const context = hasCaller ? 'HandlerContext' : `ContextOf<${key}, HandlerContext>`
  return `import type { ${hasCaller ? '' : 'ContextOf, '}Input, Reply } from '${toTable}/contract.ts'
import type { HandlerContext } from '${toTable}/context.ts'

export function ${name}(_input: Input<${key}>, _context: ${context}): Promise<Reply<${key}>> {
  throw new Error(${quoted(`${id} is not implemented`)})
}
`
}

/**
 * Turns `plants.list` into `plantsList`, and `delete` into `deleteOperation`.
 *
 * @param taken the names so far in lower case, because some file systems ignore case
 */
function functionName(id: string, taken: Set<string>): string {
  const [first = '', ...others] = id.split(/[^A-Za-z0-9]+/).filter((part) => part !== '')
  const name = first + others.map((part) => part[0]!.toUpperCase() + part.slice(1)).join('')
  const wanted = isFunctionName(name) ? name : /^[A-Za-z]/.test(name) ? `${name}Operation` : `operation${name}`
  let free = wanted
  for (let number = 2; taken.has(free.toLowerCase()); number++) free = `${wanted}${String(number)}`
  taken.add(free.toLowerCase())
  return free
}

function isFunctionName(text: string): boolean {
  const token = ts.createScanner(ts.ScriptTarget.Latest, false, undefined, text).scan()
  const isReserved = token >= ts.SyntaxKind.FirstReservedWord && token <= ts.SyntaxKind.LastReservedWord
  // Strict mode reserves more names.
  return /^[A-Za-z]/.test(text) && !isReserved && !/^(?:arguments|await|eval|handlers|yield|let|static)$/.test(text)
}

function folderName(tag = ''): string {
  const parts = tag.toLowerCase().split(/[^a-z0-9]+/)
  return parts.filter((part) => part !== '').join('-') || 'operations'
}

/** An operationId as a property name. `'__proto__'` would set the prototype. */
function propertyName(id: string): string {
  if (id === '__proto__') return `['__proto__']`
  return /^[A-Za-z_$][\w$]*$/.test(id) ? id : quoted(id)
}

/** A TypeScript string literal. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
