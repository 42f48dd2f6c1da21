import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dereference, operationsOf } from '../../src/contract/document.ts'
import { stringifyJson } from '../../src/contract/json.ts'
import { BrokenContract, readContract } from './read-contract.ts'
import { writeErrors } from './write-errors.ts'
import { writeHandlers } from './write-handlers.ts'
import { writeTypes } from './write-types.ts'

const contractFile = 'openapi.yaml'
const folder = 'generated'

/**
 * Writes `generated/` from openapi.yaml, or with `--check` says what is stale there.
 *
 * @param args the command's arguments
 * @returns the exit code: 0 when `generated/` matches the contract, else 1
 */
export async function generate(args: string[]): Promise<number> {
  const check = args.includes('--check')
  let files: Map<string, string>
  try {
    files = await generatedFiles(await readFile(contractFile, 'utf8'))
  } catch (error) {
    if (!(error instanceof BrokenContract)) throw error
    console.error(`${error.message}\n${folder}/ is as it was.`)
    return 1
  }
  const stale = await staleFiles(files)
  if (check) {
    for (const file of stale) console.error(`${folder}/${file} does not match ${contractFile}: run npm run generate`)
    if (stale.length === 0) console.log(`${folder}/ matches ${contractFile}`)
    return stale.length === 0 ? 0 : 1
  }
  await replaceFolder(files)
  console.log(stale.length === 0 ? `${folder}/ was up to date` : stale.map((file) => `wrote ${folder}/${file}`).join('\n'))
  return 0
}

/** The content of each generated file, from the contract alone. */
async function generatedFiles(source: string): Promise<Map<string, string>> {
  const document = await readContract(source, contractFile)
  const origin = `${contractFile} sha256:${createHash('sha256').update(source).digest('hex')}`
  const stamp = `// Generated from ${origin} by npm run generate. Do not edit.\n`
  const operations = operationsOf(dereference(document))
  return new Map([
    ['contract.json', `${stringifyJson({ ...document, 'x-generated-from': origin }, 2)}\n`],
    ['errors.ts', `${stamp}\n${writeErrors(document)}`],
    ['handlers.ts', `${stamp}\n${writeHandlers(operations)}`],
    ['openapi.ts', `${stamp}\n${await writeTypes(source)}`],
  ])
}

async function staleFiles(files: Map<string, string>): Promise<string[]> {
  const present = await readdir(folder).catch(() => [])
  const stale: string[] = present.filter((file) => !files.has(file))
  for (const [file, content] of files) {
    const current = await readFile(`${folder}/${file}`, 'utf8').catch(() => undefined)
    if (current !== content) stale.push(file)
  }
  return stale.sort()
}

/** Writes aside and renames, so that a reader never sees half of a file. */
async function replaceFolder(files: Map<string, string>): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [file, content] of files) {
    const aside = `${folder}/.${file}.new`
    await writeFile(aside, content)
    await rename(aside, `${folder}/${file}`)
  }
  for (const file of await readdir(folder)) {
    if (!files.has(file)) await rm(`${folder}/${file}`, { recursive: true })
  }
}
