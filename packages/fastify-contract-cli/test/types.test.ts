import { execFile } from 'node:child_process'
import { copyFile, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type ContractDocument, operationsOf } from 'fastify-contract/document'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { Places, readYaml } from '../src/check/read-yaml.ts'
import { writeTypes } from '../src/generate/write-types.ts'
import { folderWith } from './contracts.ts'

const project = join(import.meta.dirname, '../../..')

/** A project of its own for openapi.yaml of this folder: its types, and the proof that uses them. */
async function generateProject(): Promise<string> {
  const source = await readFile(join(import.meta.dirname, 'openapi.yaml'))
  // Its references are in schemas alone, and those stay.
  const document = readYaml(source, 'openapi.yaml', new Places()) as unknown as ContractDocument
  const operations = operationsOf(document)
  const root = await folderWith({
    'package.json': '{ "type": "module" }',
    'generated/openapi.ts': writeTypes(document, operations),
  })
  await symlink(join(project, 'node_modules'), join(root, 'node_modules'))
  return root
}

test('the types obey the keywords of the contract', { timeout: 60_000 }, async () => {
  const root = await generateProject()
  await copyFile(join(import.meta.dirname, 'types.proof.ts'), join(root, 'types.proof.ts'))
  const settings = { extends: join(project, 'tsconfig.json'), include: [], files: ['types.proof.ts'] }
  await writeFile(join(root, 'tsconfig.json'), JSON.stringify(settings))
  const compiler = join(project, 'node_modules/typescript-7/bin/tsc')
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', root]).catch(
    (error: unknown) => error as { stdout: string },
  )
  expect(stdout).toBe('')
})

test('an editor shows inputs and replies as plain objects, without empty parts', { timeout: 60_000 }, async () => {
  const root = await generateProject()
  const source = `import type { Input, Reply } from 'fastify-contract'
import type { operations } from './generated/openapi.ts'
export declare const listed: Input<operations['items.list']>
export declare const reply: Extract<Reply<operations['create-item']>, { status: 404 }>
`
  await writeFile(join(root, 'shown.ts'), source)
  const options = { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ESNext, strict: true, skipLibCheck: true }
  const program = ts.createProgram([join(root, 'shown.ts')], {
    ...options,
    allowImportingTsExtensions: true,
    exactOptionalPropertyTypes: true,
    types: ['node'],
    typeRoots: [join(project, 'node_modules/@types')],
  })
  const checker = program.getTypeChecker()
  const file = program.getSourceFile(join(root, 'shown.ts'))!
  const shown = file.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList: { declarations } }) =>
      declarations.map((each) =>
        checker.typeToString(checker.getTypeAtLocation(each), undefined, ts.TypeFormatFlags.NoTruncation),
      ),
    )
  expect(shown).toEqual([
    '{ query: { ids?: bigint[]; tags?: string[]; page: number; }; header: { "X-Mark"?: string; }; }',
    '{ status: 404; headers?: Record<string, never>; body: string | AsyncIterable<Uint8Array<ArrayBufferLike>>; contentType?: "text/plain"; }',
  ])
})
