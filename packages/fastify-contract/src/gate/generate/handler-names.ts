import ts from 'typescript'
import type { ContractOperation } from '../../document/document.ts'

/** The function of an operation's handler, and its file from the project's folder. */
export interface HandlerName {
  name: string
  file: string
}

/** The folders of src that hold the machine. A handler is in none of them. */
const ownFolders: readonly string[] = [
  'auth',
  'client',
  'config',
  'connections',
  'contract',
  'docs',
  'http',
  'json',
  'monitoring',
  'process',
  'rate-limit',
  'schema',
  'store',
]

/** Names the handler of each operation: in the folder of its first tag, in a file named like its function. */
export function handlerNames(operations: readonly ContractOperation[]): Map<string, HandlerName> {
  const names = new Map<string, HandlerName>()
  const taken = new Set<string>()
  for (const { id, object } of operations) {
    const wanted = functionName(id)
    let name = wanted
    // Some file systems do not tell upper from lower case.
    for (let number = 2; taken.has(name.toLowerCase()); number++) name = `${wanted}${String(number)}`
    taken.add(name.toLowerCase())
    names.set(id, { name, file: `src/${folderName(object.tags?.[0])}/${name}.ts` })
  }
  return names
}

/** `plants.list` as `plantsList`, `delete` as `deleteOperation`. */
function functionName(id: string): string {
  if (isFunctionName(id)) return id
  const [first = '', ...others] = id.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  const name = first + others.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')
  if (isFunctionName(name)) return name
  return /^[A-Za-z]/.test(name) ? `${name}Operation` : `operation${name}`
}

function isFunctionName(text: string): boolean {
  const token = ts.createScanner(ts.ScriptTarget.Latest, false, undefined, text).scan()
  const isReserved = token >= ts.SyntaxKind.FirstReservedWord && token <= ts.SyntaxKind.LastReservedWord
  return /^[A-Za-z][A-Za-z0-9]*$/.test(text) && !isReserved && !strictNames.includes(text)
}

/** Names that a module cannot give to a function, beside the reserved words. */
const strictNames: readonly string[] = ['arguments', 'await', 'eval', 'handlers', 'yield', 'let', 'static']

function folderName(tag: string | undefined): string {
  const words = (tag ?? '').toLowerCase().split(/[^a-z0-9]+/)
  const folder = words.filter((word) => word !== '').join('-')
  if (folder === '') return 'operations'
  return ownFolders.includes(folder) ? `${folder}-operations` : folder
}
