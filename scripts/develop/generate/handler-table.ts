import { readFileSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import ts from 'typescript'

/** The table of handlers, in the project's folder. */
export const tableFile = 'src/plants/handlers.ts'

interface HandlerTable {
  text: string
  /** The file that each handler of the table is imported from, by the handler's name. */
  files: Map<string, string>
  /** Where one more import goes in the text. */
  endOfImports: number
  /** The object that holds the handlers. */
  object: ts.ObjectLiteralExpression
}

/**
 * Reads the table of handlers.
 *
 * @param root the project's folder
 * @returns undefined where there is no such file or it has no `export const handlers = { … }`
 */
export function readTable(root: string): HandlerTable | undefined {
  const text = readText(join(root, tableFile))
  if (text === undefined) return undefined
  const source = ts.createSourceFile(tableFile, text, ts.ScriptTarget.Latest)
  const imports = source.statements.filter(ts.isImportDeclaration)
  const object = source.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => [...declarationList.declarations])
    .find(({ name }) => ts.isIdentifier(name) && name.text === 'handlers')?.initializer
  if (object === undefined || !ts.isObjectLiteralExpression(object)) return undefined
  const origins = new Map(imports.flatMap(importedNames))
  const files = object.properties.flatMap(({ name }): [string, string][] => {
    const id = name !== undefined && ts.isIdentifier(name) ? name.text : undefined
    return id === undefined ? [] : [[id, origins.get(id) ?? tableFile]]
  })
  return { text, files: new Map(files), endOfImports: imports.at(-1)?.end ?? 0, object }
}

/**
 * Adds a handler to the table, if it is not there yet.
 *
 * @param file the handler's file, from the project's folder
 * @returns what was done, or the two lines that a person must add where the table cannot be read
 */
export function addToTable(root: string, id: string, file: string): string | undefined {
  const table = readTable(root)
  const line = `import { ${id} } from '${relativePath(file)}'`
  if (table === undefined) {
    return `${tableFile} cannot be read; add \`${line}\`, and \`${id}\` to the object \`handlers\``
  }
  const { text, files, endOfImports, object } = table
  if (files.has(id)) return undefined
  const last = object.properties.at(-1)
  const place = last?.end ?? object.end - 1
  const member = last === undefined ? ` ${id} ` : `, ${id}`
  const importLine = endOfImports === 0 ? `${line}\n` : `\n${line}`
  const pieces = [text.slice(0, endOfImports), importLine, text.slice(endOfImports, place), member, text.slice(place)]
  writeFileSync(join(root, tableFile), pieces.join(''))
  return `added ${id} to ${tableFile}`
}

function importedNames({ importClause, moduleSpecifier }: ts.ImportDeclaration): [string, string][] {
  const bindings = importClause?.namedBindings
  if (bindings === undefined || !ts.isNamedImports(bindings) || !ts.isStringLiteral(moduleSpecifier)) return []
  const file = posix.join(posix.dirname(tableFile), moduleSpecifier.text)
  return bindings.elements.map(({ name }) => [name.text, file])
}

function relativePath(file: string): string {
  const path = posix.relative(posix.dirname(tableFile), file)
  return path.startsWith('.') ? path : `./${path}`
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
