import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, relative, resolve } from 'node:path'
import { hash } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import {
  type Contract,
  UnservableContract,
  documentOf,
  readSources,
  sealContract,
  writtenDocumentOf,
} from '../../src/document/contract.ts'

const yaml = 'openapi: 3.1.0\n'
const document = '{"openapi":"3.0.0","maximum":9007199254740993}'
const changes = '{"openapi":["3.1.0"],"minimum":[-9007199254740993]}'
const sources = { '../openapi.yaml': hash('sha256', yaml), '../parts/part.yaml': hash('sha256', 'a: 1') }
const sealed = sealContract({ document, changes, sources })
/** Of a contract in the folder above that of its generated files. */
const staleBeside = (folder: string) =>
  `made/ does not match openapi.yaml; run npx fastify-contract generate --contract ${relative('', join(folder, '../openapi.yaml'))} --out ${relative('', folder)}`

/** A generated contract in a folder of its own, beside these files. */
async function contractBeside(files: Record<string, string>): Promise<Contract> {
  const root = await mkdtemp(join(tmpdir(), 'contract-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  await mkdir(join(root, 'parts'))
  for (const [name, text] of Object.entries(files)) await writeFile(join(root, name), text)
  return { ...sealed, folder: join(root, 'made') }
}

test('a contract keeps integers beyond 2^53 exact, as written and as served', () => {
  const maximum = 9007199254740993n
  expect(writtenDocumentOf(sealed)).toEqual({ openapi: '3.0.0', maximum })
  expect(documentOf(sealed)).toEqual({ openapi: '3.1.0', maximum, minimum: -maximum })
})

test.each([
  ['document', { document: document.replace('3', '4') }],
  ['document, cut', { document: document.slice(0, -5) }],
  ['list of changes', { changes: '{}' }],
  ['source', { sources: { ...sources, '../openapi.yaml': '0' } }],
])('a start refuses a generated file with another %s', (_what, changed) => {
  const contract = { ...sealed, ...changed, folder: '/a/made' }
  expect(() => documentOf(contract)).toThrow(new UnservableContract(staleBeside('/a/made')))
})

test.each([
  ['current', 'the same files', { 'openapi.yaml': yaml, 'parts/part.yaml': 'a: 1' }],
  ['current', 'no other files, as in an image', {}],
  ['stale', 'another contract', { 'openapi.yaml': `${yaml}#\n` }],
  ['stale', 'another part', { 'openapi.yaml': yaml, 'parts/part.yaml': 'a: 2' }],
])('a contract is %s beside %s', async (state, _what, files) => {
  const contract = await contractBeside(files)
  if (state === 'current') await expect(readSources(contract)).resolves.toBeUndefined()
  else await expect(readSources(contract)).rejects.toThrow(staleBeside(contract.folder!))
})

test('a contract is current after a bundler has moved it', async () => {
  await expect(readSources({ ...sealed, folder: undefined })).resolves.toBeUndefined()
})

test.each([
  ['generated', '../openapi.yaml', 'generate'],
  ['generated', '../shop.json', 'generate --contract shop.json'],
  ['src/made', "../../the shop's.yaml", "generate --contract 'the shop'\\''s.yaml' --out src/made"],
])('the remedy for a stale %s of %s is a working command', (folder, source, command) => {
  const contract = { ...sealed, folder: resolve(folder), sources: { [source]: '0' } }
  expect(() => documentOf(contract)).toThrow(
    new UnservableContract(
      `${basename(folder)}/ does not match ${basename(source)}; run npx fastify-contract ${command}`,
    ),
  )
})

test('an unreadable contract is named', async () => {
  const contract = await contractBeside({})
  await mkdir(join(contract.folder!, '../openapi.yaml'))
  await expect(readSources(contract)).rejects.toThrow(/^cannot read the contract: EISDIR/)
})
