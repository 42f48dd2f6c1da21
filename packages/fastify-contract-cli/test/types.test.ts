import { execFile } from 'node:child_process'
import { copyFile, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type ContractDocument, operationsOf } from 'fastify-contract/document'
import { beforeAll, expect, test } from 'vitest'
import { Places } from '../src/model/places.ts'
import { readYaml } from '../src/model/read-yaml.ts'
import { writeTypes } from '../src/generate/write-types.ts'
import { folderWith } from './contracts.ts'

const project = join(import.meta.dirname, '../../..')

/** A project of its own for openapi.yaml of this folder: its types, and the proof that uses them. */
async function generateProject(onFinished: (remove: () => Promise<void>) => void): Promise<string> {
  const source = await readFile(join(import.meta.dirname, 'openapi.yaml'))
  // Its references are in schemas alone, and those stay.
  const document = readYaml(source, 'openapi.yaml', new Places()) as unknown as ContractDocument
  const operations = operationsOf(document)
  const types = writeTypes({ document, operations, unsatisfiable: new Set() })
  const files = { 'package.json': '{ "type": "module" }', 'generated/openapi.ts': types }
  const root = await folderWith(files, onFinished)
  await symlink(join(project, 'node_modules'), join(root, 'node_modules'))
  return root
}

/** Types that the compiler shows in an error as an editor shows them. */
const shown = `import type { Input, Reply } from 'fastify-contract'
import type { operations } from './generated/openapi.ts'
export const listed: never = {} as Input<operations['items.list']>
export const reply: never = {} as Extract<Reply<operations['create-item']>, { status: 404 }>
`

let errors: string[]
beforeAll(async () => {
  let remove = () => Promise.resolve()
  const root = await generateProject((finish) => (remove = finish))
  await copyFile(join(import.meta.dirname, 'types.proof.ts'), join(root, 'types.proof.ts'))
  await writeFile(join(root, 'shown.ts'), shown)
  const settings = {
    extends: join(project, 'tsconfig.json'),
    compilerOptions: { noErrorTruncation: true },
    include: ['*.ts'],
    exclude: [],
  }
  await writeFile(join(root, 'tsconfig.json'), JSON.stringify(settings))
  const compiler = join(project, 'node_modules/typescript-7/bin/tsc')
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', root]).catch(
    (error: unknown) => error as { stdout: string },
  )
  errors = stdout.trimEnd().split('\n')
  return () => remove()
}, 60_000)

test('the types obey the keywords of the contract', () => {
  expect(errors.filter((line) => !line.includes('shown.ts'))).toEqual([])
})

test('an editor shows inputs and replies as plain objects', () => {
  const types = errors.map((line) => /shown\.ts.*: Type '(.*)' is not assignable to type 'never'/.exec(line)?.[1])
  expect(types).toEqual([
    '{ query: { ids?: bigint[]; page: number; tags?: string[]; }; header: { "X-Mark"?: string; }; }',
    '{ headers?: Record<string, never>; body: string | AsyncIterable<Uint8Array<ArrayBufferLike>>; contentType?: "text/plain"; status: 404; }',
  ])
})
