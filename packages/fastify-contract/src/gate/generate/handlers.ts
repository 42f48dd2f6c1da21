import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import ts from 'typescript'
import type { ContractOperation } from '../../document/document.ts'
import { callerKindOf } from '../../document/security.ts'

/** The handlers of a service, as its table `export const handlers = { … }` has them. */
export class HandlerTable {
  readonly #root: string
  /** The file of the table, from the root. */
  readonly #file: string
  /** The function of each operation's handler, and its file from the root. */
  readonly #expected: Map<string, { name: string; file: string }>

  /** @param operations all of the contract, which decide about the names of handlers */
  constructor(root: string, file: string, operations: readonly ContractOperation[]) {
    this.#root = root
    this.#file = file
    const taken = new Set<string>()
    this.#expected = new Map(
      operations.map(({ id, object }) => {
        const wanted = functionName(id)
        let name = wanted
        // Some file systems do not tell upper from lower case.
        for (let number = 2; taken.has(name.toLowerCase()); number++) name = `${wanted}${String(number)}`
        taken.add(name.toLowerCase())
        return [id, { name, file: this.#beside(`${folderName(object.tags?.[0])}/${name}.ts`) }]
      }),
    )
  }

  /** Whether an operation has no handler in the table, or one whose file is missing. */
  lacks({ id }: ContractOperation): boolean {
    const table = this.#read()
    // Where the table cannot be read, a file in the right place counts.
    const file = table === undefined ? this.#expected.get(id)?.file : table.files.get(id)
    return file === undefined || !existsSync(join(this.#root, file))
  }

  /** A line for each handler whose operation is not in the contract. */
  leftOver(): string[] {
    const files = [...(this.#read()?.files ?? [])].filter(([id]) => !this.#expected.has(id)).sort()
    const remedy = `remove it from ${this.#file}, and the file if it is not needed`
    return files.map(([id, file]) => `${file}: the contract has no operation ${id}; ${remedy}`)
  }

  /**
   * Writes a handler that throws until a person has written it, and adds it to the table.
   *
   * @returns what was done, a line for each file; an existing handler is left as it is
   */
  scaffold(operation: ContractOperation): string[] {
    const { id } = operation
    // The operation is one of them.
    const { name, file: expected } = this.#expected.get(id)!
    const table = this.#read()
    // A handler that the table has, and that has lost its file, gets the file that the table imports.
    const file = table?.files.get(id) ?? expected
    const lines: string[] = []
    if (!existsSync(join(this.#root, file))) {
      mkdirSync(join(this.#root, dirname(file)), { recursive: true })
      writeFileSync(join(this.#root, file), this.#stub(operation, name, file), { flag: 'wx' })
      lines.push(`wrote ${file}`)
    }
    if (table?.files.has(id) === true) return lines
    const importLine = `import { ${name} } from '${importPath(this.#file, file)}'`
    const entry = id === name ? name : `${propertyName(id)}: ${name}`
    if (table === undefined) {
      const words = `add \`${importLine}\`, and \`${entry}\` to the object \`handlers\``
      return [...lines, `${this.#file} cannot be read; ${words}`]
    }
    const { text, imports, object } = table
    const [end, last] = [imports.at(-1)?.end ?? 0, object.properties.at(-1)]
    const place = last?.end ?? object.end - 1
    const withImport = text.slice(0, end) + (end === 0 ? `${importLine}\n` : `\n${importLine}`)
    const withEntry = text.slice(end, place) + (last === undefined ? ` ${entry} ` : `, ${entry}`)
    writeFileSync(join(this.#root, this.#file), withImport + withEntry + text.slice(place))
    return [...lines, `added ${id} to ${this.#file}`]
  }

  /** The path of a file beside the table, from the root. */
  #beside(file: string): string {
    return posix.join(posix.dirname(this.#file), file)
  }

  #stub({ id, security }: ContractOperation, name: string, file: string): string {
    const importOf = (names: string, module: string) =>
      `import type { ${names} } from '${importPath(file, this.#beside(module))}'\n`
    const hasCaller = callerKindOf(security) === 'required'
    const key = quoted(id)
    const context = hasCaller ? 'HandlerContext' : `ContextOf<${key}, HandlerContext>`
    const types = importOf(`${hasCaller ? '' : 'ContextOf, '}Input, Reply`, 'contract.ts')
    return `${types}${importOf('HandlerContext', 'context.ts')}
export function ${name}(_input: Input<${key}>, _context: ${context}): Promise<Reply<${key}>> {
  throw new Error(${quoted(`${id} is not written yet`)})
}
`
  }

  /** Reads the table; undefined where there is no such file or it has no `export const handlers = { … }`. */
  #read() {
    const path = join(this.#root, this.#file)
    if (!existsSync(path)) return undefined
    const text = readFileSync(path, 'utf8')
    const { statements } = ts.createSourceFile(this.#file, text, ts.ScriptTarget.Latest)
    const imports = statements.filter(ts.isImportDeclaration)
    const object = statements
      .filter(ts.isVariableStatement)
      .flatMap(({ declarationList }) => [...declarationList.declarations])
      .find(({ name }) => ts.isIdentifier(name) && name.text === 'handlers')?.initializer
    if (object === undefined || !ts.isObjectLiteralExpression(object)) return undefined
    const origins = new Map(
      imports.flatMap(({ importClause, moduleSpecifier }): [string, string][] => {
        const bindings = importClause?.namedBindings
        if (bindings === undefined || !ts.isNamedImports(bindings) || !ts.isStringLiteral(moduleSpecifier)) return []
        return bindings.elements.map(({ name }) => [name.text, this.#beside(moduleSpecifier.text)])
      }),
    )
    const files = object.properties.flatMap((property): [string, string][] => {
      const id = property.name === undefined ? undefined : textOf(property.name)
      if (id === undefined) return []
      const value =
        ts.isPropertyAssignment(property) && ts.isIdentifier(property.initializer) ? property.initializer.text : id
      return [[id, origins.get(value) ?? this.#file]]
    })
    return { text, files: new Map(files), imports, object }
  }
}

function textOf(name: ts.PropertyName): string | undefined {
  if (ts.isComputedPropertyName(name)) return ts.isStringLiteral(name.expression) ? name.expression.text : undefined
  return ts.isIdentifier(name) || ts.isStringLiteral(name) ? name.text : undefined
}

/** `plants.list` as `plantsList`, `delete` as `deleteOperation`. */
function functionName(id: string): string {
  const [first = '', ...others] = id.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  const name = first + others.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')
  if (isFunctionName(name)) return name
  return /^[A-Za-z]/.test(name) ? `${name}Operation` : `operation${name}`
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

function importPath(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to)
  return path.startsWith('.') ? path : `./${path}`
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
