import { hash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { UnservableContract, loadContract } from '../../src/document/load-contract.ts'

const yaml = 'openapi: 3.1.0\n'
const json = '{"openapi":"3.1.0","x-a":9007199254740993}'
const line = (file: string, text: string) => `${hash('sha256', text)}  ${file}\n`
const stamp = line('openapi.yaml', yaml) + line('generated/contract.json', json)
const stampWithPart = line('openapi.yaml', yaml) + line('part.yaml', 'a: 1') + line('generated/contract.json', json)

/** A folder with a contract that was generated, with other files in the place of some. */
async function folderOf(others: Record<string, string | undefined> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'contract-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'generated'))
  const files: Record<string, string | undefined> = {
    'openapi.yaml': yaml,
    'generated/contract.json': json,
    'generated/contract.sha256': stamp,
    ...others,
  }
  for (const [file, text] of Object.entries(files)) if (text !== undefined) await writeFile(join(folder, file), text)
  return folder
}

async function refusalOf(folder: string): Promise<string> {
  const error: unknown = await loadContract(folder).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(UnservableContract)
  const { message } = error as UnservableContract
  expect(message).not.toContain('\n')
  return message
}

describe('loadContract', () => {
  it('gives the document, integers beyond 2^53 exact, and both texts as they are', async () => {
    const document = { openapi: '3.1.0', 'x-a': 9007199254740993n }
    expect(await loadContract(await folderOf())).toEqual({ document, json, yaml })
  })

  it('finds the contract that the stamp names, in the folder of the generated files that it is given', async () => {
    const elsewhere = line('api/things.yaml', yaml) + line('src/made/contract.json', json)
    const folder = await folderOf()
    await mkdir(join(folder, 'api'))
    await mkdir(join(folder, 'src/made'), { recursive: true })
    await writeFile(join(folder, 'api/things.yaml'), yaml)
    await writeFile(join(folder, 'src/made/contract.json'), json)
    await writeFile(join(folder, 'src/made/contract.sha256'), elsewhere)
    expect(await loadContract(folder, 'src/made')).toMatchObject({ json, yaml })
    await writeFile(join(folder, 'api/things.yaml'), `${yaml}# edited`)
    await expect(loadContract(folder, 'src/made')).rejects.toThrow('src/made/ does not match api/things.yaml')
  })

  it.each<[string, Record<string, string>]>([
    ['an openapi.yaml with a comment more', { 'openapi.yaml': `${yaml}# More.\n` }],
    ['a contract.json with a space more', { 'generated/contract.json': `${json} ` }],
    ['a contract.json that is no JSON', { 'generated/contract.json': '' }],
    ['no stamp', { 'generated/contract.sha256': '' }],
    ['a stamp of openapi.yaml alone', { 'generated/contract.sha256': line('openapi.yaml', yaml) }],
    ['a stamp of another document', { 'generated/contract.sha256': stamp.replace('contract.json', 'a.json') }],
    ['another part', { 'generated/contract.sha256': stampWithPart, 'part.yaml': 'a: 2' }],
  ])('refuses %s', async (_what, files) => {
    const stale = 'generated/ does not match openapi.yaml; run npx fastify-contract generate'
    expect(await refusalOf(await folderOf(files))).toBe(stale)
  })

  it.each(['openapi.yaml', 'generated/contract.json', 'generated/contract.sha256'])(
    'refuses to go without %s and names it',
    async (file) => {
      const folder = await folderOf({ [file]: undefined })
      expect(await refusalOf(folder)).toMatch(/^cannot read the contract: ENOENT.*/)
      expect(await refusalOf(folder)).toContain(join(folder, file))
      await expect(readFile(join(folder, file))).rejects.toThrow('ENOENT')
    },
  )
})
