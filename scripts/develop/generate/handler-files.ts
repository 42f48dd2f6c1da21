import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { ContractOperation } from '../../../src/contract/document.ts'
import { handlerFile } from './write-handlers.ts'

/** The operations whose handler has no file in `src` of the project's folder `root`. */
export function missingHandlers(root: string, operations: ContractOperation[]): ContractOperation[] {
  return operations.filter((operation) => !existsSync(join(root, handlerFile(operation))))
}

/**
 * Writes a handler that fails until a person has written it.
 *
 * @returns its file, from the project's folder
 * @throws Error when the file exists: written code is never touched
 */
export function scaffoldHandler(root: string, operation: ContractOperation): string {
  const { id } = operation
  const file = handlerFile(operation)
  mkdirSync(join(root, dirname(file)), { recursive: true })
  const code = `import type { Handler, Reply } from '../contract/types.ts'
import type { PlantStore } from '../store/store.ts'

export function ${id}(_plants: PlantStore): Handler<'${id}'> {
  return (_input, _caller): Reply<'${id}'> => {
    throw new Error('${id} is not written yet')
  }
}
`
  writeFileSync(join(root, file), code, { flag: 'wx' })
  return file
}

/** Says of each handler in `src` for which the contract has no operation, or has it elsewhere, what a person may do with it. */
export function strayHandlers(root: string, operations: ContractOperation[]): string[] {
  const expected = new Map(operations.map((operation) => [operation.id, handlerFile(operation)]))
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts')).sort()
  return files.flatMap((name) => {
    const file = `src/${name.replaceAll('\\', '/')}`
    const id = basename(name, '.ts')
    if (expected.get(id) === file || !readFileSync(join(root, file), 'utf8').includes(`Handler<'${id}'>`)) return []
    const place = expected.get(id)
    return place === undefined ? `${file}: the contract has no operation ${id}; remove it if it is not needed` : `${file}: the contract wants the handler of ${id} in ${place}`
  })
}
