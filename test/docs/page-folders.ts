import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { checkBreaking } from '../../scripts/develop/breaking/compare-with-release.ts'
import { generate } from '../../scripts/develop/generate/generate.ts'
import { createToken } from '../../src/auth/tokens.ts'
import { openSqliteStore } from '../../src/store/sqlite/store.ts'
import { copyReleasedProject } from '../gate/project-copy.ts'
import { temporaryDatabase } from '../support/server/postgres-database.ts'
import { type OnFinished, temporaryFolder } from '../support/server/start-app.ts'
import { projectFolder } from '../support/server/start-process.ts'
import { blocksOf } from '../support/pages.ts'
import { Session } from './session.ts'

/** Where the blocks of a page are run, in the order of the page. */
export interface PageFolder {
  folder: string
  session: Session
  /** Takes what is to be done after the last block of the page, the last first. */
  onFinished: OnFinished
}

const gatePage = 'docs/changing-the-contract.md'

/** Makes a folder with what a page takes for granted. */
export async function preparePage(page: string, onFinished: OnFinished): Promise<PageFolder> {
  const folder = page === gatePage ? await copyForGate(onFinished) : await temporaryFolder(onFinished)
  const session = new Session(folder, page === gatePage ? gateIn(folder) : undefined)
  onFinished(() => session.end())
  if (page !== gatePage) {
    await link(folder, 'src', 'scripts', 'generated', 'openapi.yaml', 'package.json', 'node_modules')
  }
  if (page === 'docs/operating.md') await fillDatabase(folder, 1)
  if (page === 'docs/postgres.md') {
    await fillDatabase(folder, 2)
    session.values.replace('postgres://USER@HOST:5432/DATABASE', `'${await temporaryDatabase({}, onFinished)}'`)
  }
  return { folder, session, onFinished }
}

async function link(folder: string, ...names: string[]): Promise<void> {
  for (const name of names) await symlink(join(projectFolder, name), join(folder, name))
}

/** Makes the database of a server that has been used: two plants, and tokens of the caller `me`. */
async function fillDatabase(folder: string, tokens: number): Promise<void> {
  await mkdir(join(folder, 'data'))
  const store = openSqliteStore({ file: join(folder, 'data/plants.db'), onFault: () => undefined })
  for (let token = 0; token < tokens; token++) await store.addToken(createToken('me', Date.now()).stored)
  for (const id of [54n, 55n]) await store.create('me', { id, name: 'Monstera deliciosa' })
  await store.close()
}

/** Copies the project with the contract of the gate's tests, and compiles the page's example of a client with it. */
async function copyForGate(onFinished: OnFinished): Promise<string> {
  const { root } = await copyReleasedProject('1.0.0', onFinished)
  const configuration = join(root, 'tsconfig.json')
  const compiler = await readFile(configuration, 'utf8')
  await writeFile(configuration, compiler.replace('"src/plants"]', '"src/plants", "client.ts"]'))
  const example = blocksOf(gatePage).find(({ text }) => text.includes('createClient('))
  const head = [
    `import { createClient } from './src/client/create-client.ts'`,
    `const token = process.env['TOKEN'] ?? ''`,
  ]
  await writeFile(join(root, 'client.ts'), [...head, example?.text ?? ''].join('\n'))
  return root
}

/** The commands of the gate in this process, which loads their modules once; their own tests run them as commands. */
function gateIn(folder: string): (command: string) => Promise<string> | undefined {
  return (command) => {
    if (command === 'npm run -s generate') return linesOf(generate(folder, 'write'))
    if (command === 'npm run -s generate -- --scaffold') return linesOf(generate(folder, 'scaffold'))
    if (command === 'npm run -s breaking') return linesOf(checkBreaking(folder, undefined))
    return undefined
  }
}

async function linesOf(result: Promise<{ lines: string[] }>): Promise<string> {
  return (await result).lines.join('\n')
}
