import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { UnservableContract } from '../../packages/fastify-contract/src/document/load-contract.ts'
import { loadContract } from '../../packages/fastify-contract/src/document/load-contract.ts'
import { temporaryFolder } from '../support/server/start-app.ts'

const project = join(import.meta.dirname, '../..')

/** What a server needs of its contract. */
const files = ['openapi.yaml', 'generated/contract.json', 'generated/contract.sha256']

/** A folder with the project's contract, to be broken. */
async function copyOfContract(): Promise<string> {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'generated'))
  for (const file of files) await cp(join(project, file), join(folder, file))
  return folder
}

async function refusalOf(folder: string): Promise<string> {
  const error: unknown = await loadContract(folder).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(UnservableContract)
  const { message } = error as UnservableContract
  expect(message).not.toContain('\n')
  return message
}

const stale = 'generated/ does not match openapi.yaml; run npm run generate'

describe('loadContract', () => {
  it('gives the document, integers beyond 2^53 exact, and both texts as they are', async () => {
    const { document, json, yaml } = await loadContract(await copyOfContract())
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Plant Store' } })
    expect(document.components?.schemas?.['NewPlant']).toMatchObject({
      allOf: [{}, { properties: { id: { examples: [54, 9007199254740993n] } } }],
    })
    expect(json).toBe(await readFile(join(project, 'generated/contract.json'), 'utf8'))
    expect(yaml).toBe(await readFile(join(project, 'openapi.yaml'), 'utf8'))
  })

  it('refuses generated/ that was made from another openapi.yaml, if only by a comment', async () => {
    const folder = await copyOfContract()
    await writeFile(
      join(folder, 'openapi.yaml'),
      `${await readFile(join(folder, 'openapi.yaml'), 'utf8')}# A word more.\n`,
    )
    expect(await refusalOf(folder)).toBe(stale)
  })

  it.each([
    'null',
    '[]',
    '{}',
    '54',
    '{"x-generated-from":"openapi.yaml"}',
    '',
    '{',
    'openapi: 3.1.0',
    '{"openapi":"3.1.0","openapi":"3.1.0"}',
  ])('refuses a contract.json that generate did not write: %j', async (text) => {
    const folder = await copyOfContract()
    await writeFile(join(folder, 'generated/contract.json'), text)
    expect(await refusalOf(folder)).toBe(stale)
  })

  it('refuses a contract.json that was edited by hand, if only by a space', async () => {
    const folder = await copyOfContract()
    const file = join(folder, 'generated/contract.json')
    await writeFile(file, (await readFile(file, 'utf8')).replace('"maxLength": 255', '"maxLength":  255'))
    expect(await refusalOf(folder)).toBe(stale)
  })

  it('refuses a stamp that generate did not write', async () => {
    const folder = await copyOfContract()
    await writeFile(join(folder, 'generated/contract.sha256'), '')
    expect(await refusalOf(folder)).toBe(stale)
  })

  it.each(files)('refuses to go without %s and names it', async (file) => {
    const folder = await copyOfContract()
    await rm(join(folder, file))
    expect(await refusalOf(folder)).toMatch(/^cannot read the contract: ENOENT.*/)
    expect(await refusalOf(folder)).toContain(join(folder, file))
  })
})
