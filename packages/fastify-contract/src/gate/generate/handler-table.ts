import { readFileSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import ts from 'typescript'
import type { HandlerName } from './handler-names.ts'

/** The table of handlers, in the project's folder. */
export const tableFile = 'src/handlers.ts'

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
  const files = object.properties.flatMap((property): [string, string][] => {
    const { name } = property
    const id = name === undefined ? undefined : textOf(name)
    if (id === undefined) return []
    const value =
      ts.isPropertyAssignment(property) && ts.isIdentifier(property.initializer) ? property.initializer.text : id
    return [[id, origins.get(value) ?? tableFile]]
  })
  return { text, files: new Map(files), endOfImports: imports.at(-1)?.end ?? 0, object }
}

function textOf(name: ts.PropertyName): string | undefined {
  if (ts.isComputedPropertyName(name)) return ts.isStringLiteral(name.expression) ? name.expression.text : undefined
  return ts.isIdentifier(name) || ts.isStringLiteral(name) ? name.text : undefined
}

/**
 * Adds a handler to the table, if it is not there yet.
 *
 * @param id the operationId
 * @returns what was done, or the two lines that a person must add where the table cannot be read
 */
export function addToTable(root: string, id: string, { name, file }: HandlerName): string | undefined {
  const table = readTable(root)
  const line = `import { ${name} } from '${relativePath(file)}'`
  const entry = id === name ? name : `${propertyName(id)}: ${name}`
  if (table === undefined) {
    return `${tableFile} cannot be read; add \`${line}\`, and \`${entry}\` to the object \`handlers\``
  }
  const { text, files, endOfImports, object } = table
  if (files.has(id)) return undefined
  const last = object.properties.at(-1)
  const place = last?.end ?? object.end - 1
  const member = last === undefined ? ` ${entry} ` : `, ${entry}`
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

/** An operationId as the name of a property. `'__proto__'` would set the prototype. */
function propertyName(id: string): string {
  if (id === '__proto__') return `['__proto__']`
  return /^[A-Za-z_$][\w$]*$/.test(id) ? id : quoted(id)
}

/** A text as TypeScript writes it between single quotes. */
export function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
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
