import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import ts from 'typescript'
import type { ContractOperation } from '../../document/document.ts'
import { callerKindOf } from '../../document/security.ts'

/** The members of `export const handlers = { … }`. */
const tableOf = /(export const handlers\b[^=]*=\s*\{)([^]*?)(,?\s*)(\})/

/**
 * Names the operations that the table of handlers lacks, or writes for each a handler that throws until a person has
 * written it. An existing file stays as it is.
 *
 * @param file of the table, from the root
 * @param operations all of the contract
 * @returns a line for each operation or file
 */
export function scaffold(
  root: string,
  file: string,
  operations: readonly ContractOperation[],
  writes: boolean,
): string[] {
  const path = join(root, file)
  // A service may keep its handlers elsewhere.
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
    // Where the table cannot be read, a file in the right place counts.
    if (members === undefined && existsSync(join(root, handler))) return []
    if (!writes) return [`operation ${id} has no handler: npx fastify-contract generate --scaffold writes one`]
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
  throw new Error(${quoted(`${id} is not written yet`)})
}
`
}

/**
 * `plants.list` as `plantsList`, `delete` as `deleteOperation`.
 *
 * @param taken the names so far in lower case, because some file systems do not tell upper from lower case
 */
function functionName(id: string, taken: Set<string>): string {
  const [first = '', ...others] = id.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  const name = first + others.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')
  const wanted = isFunctionName(name) ? name : /^[A-Za-z]/.test(name) ? `${name}Operation` : `operation${name}`
  let free = wanted
  for (let number = 2; taken.has(free.toLowerCase()); number++) free = `${wanted}${String(number)}`
  taken.add(free.toLowerCase())
  return free
}

function isFunctionName(text: string): boolean {
  const token = ts.createScanner(ts.ScriptTarget.Latest, false, undefined, text).scan()
  const isReserved = token >= ts.SyntaxKind.FirstReservedWord && token <= ts.SyntaxKind.LastReservedWord
  // Strict code has more names that are not for functions.
  return /^[A-Za-z]/.test(text) && !isReserved && !/^(?:arguments|await|eval|handlers|yield|let|static)$/.test(text)
}

function folderName(tag = ''): string {
  const words = tag.toLowerCase().split(/[^a-z0-9]+/)
  return words.filter((word) => word !== '').join('-') || 'operations'
}

/** An operationId as the name of a property. `'__proto__'` would set the prototype. */
function propertyName(id: string): string {
  if (id === '__proto__') return `['__proto__']`
  return /^[A-Za-z_$][\w$]*$/.test(id) ? id : quoted(id)
}

/** A text as TypeScript writes it between single quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
