import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ContractDocument, operationsOf } from 'fastify-contract/document'
import { beforeAll, expect, test } from 'vitest'
import { readYaml } from '../src/model/yaml/read-yaml.ts'
import { writeTypes } from '../src/generate/write-types.ts'
import { folderWith } from './contracts.ts'
import { compile, linkPackages, repository } from './run-here.ts'

/** Types that the compiler shows in an error as an editor shows them. */
const shown = `import type { Input, Reply } from 'fastify-contract'
import type { operations } from './generated/openapi.ts'
export const listed: never = {} as Input<operations['items.list']>
export const reply: never = {} as Extract<Reply<operations['create-item']>, { status: 404 }>
`

let errors: string[]
beforeAll(async () => {
  const source = await readFile(join(import.meta.dirname, 'openapi.yaml'))
  // Its references are in schemas alone, and those stay.
  const document = readYaml(source, 'openapi.yaml').document as unknown as ContractDocument
  const settings = { extends: join(repository, 'tsconfig.json'), include: ['*.ts'], exclude: [] }
  let remove = () => Promise.resolve()
  const files = {
    'package.json': '{ "type": "module" }',
    'generated/openapi.ts': writeTypes({ document, operations: operationsOf(document), unsatisfiable: new Set() }),
    'types.proof.ts': await readFile(join(import.meta.dirname, 'types.proof.ts'), 'utf8'),
    'shown.ts': shown,
    'tsconfig.json': settings,
  }
  const root = await folderWith(files, (finish) => (remove = finish))
  await linkPackages(root)
  errors = (await compile(root)).trimEnd().split('\n')
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
