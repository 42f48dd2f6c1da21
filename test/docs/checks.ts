import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { parts } from '../../scripts/develop/check/parts.ts'
import { generate } from '../../scripts/develop/generate/generate.ts'
import { createToken } from '../../src/auth/tokens.ts'
import { openStore } from '../../src/store/open-store.ts'
import { distributeTables } from '../../src/store/postgres/citus.ts'
import { openSqliteStore } from '../../src/store/sqlite/store.ts'
import { type Edit, addGetPlant, contractText, replace } from '../gate/project-copy.ts'
import { connect, temporaryDatabase } from '../support/server/postgres-database.ts'
import { nodeBinary, projectFolder, startProcess } from '../support/server/start-process.ts'
import type { PageFolder } from './page-folders.ts'
import { type Block, textOf } from '../support/pages.ts'

/** Writes the contract of the gate's tests with changes into a copy of the project. */
export async function changeContract(folder: string, ...edits: Edit[]): Promise<void> {
  const changed = edits.reduce((text, edit) => {
    const edited = edit(text)
    expect(edited, 'an edit does not find its place in the contract').not.toBe(text)
    return edited
  }, contractText)
  await writeFile(join(folder, 'openapi.yaml'), changed)
}

/** The files and folders of a tree are there. Each level is two columns deeper; what a file is for follows its name. */
export function expectTree({ text }: Block): void {
  const above: string[] = []
  const paths = text.split('\n').flatMap((line) => {
    const words = line.trim().split(/ {2,}/)
    const end = words.findIndex((word) => !/^[\w./-]+(?:\/|\.\w+)$/.test(word))
    const names = words.slice(0, end === -1 ? words.length : end)
    if (names.length === 0) return []
    above.splice(line.search(/\S/) / 2)
    const folder = above.join('')
    above.push(...names.filter((name) => name.endsWith('/')))
    return names.map((name) => folder + name)
  })
  expect(paths.length).toBeGreaterThan(50)
  expect(paths.filter((path) => !existsSync(join(projectFolder, path)))).toEqual([])
}

/** The stages of a request, as the diagram and as src/app.ts have them. */
const stages = {
  'path and method': 'refuseUnmatched(app)',
  "address's limit": 'rateLimits?.limitAddress,',
  authentication: 'authenticate(operation',
  "caller's limit": 'rateLimits?.limitCaller,\n      expect',
  content: 'expectContent(operation)',
}

/** The diagram has the stages in the order of src/app.ts. */
export function expectStages({ text }: Block): void {
  const shown = text.split('→').map((stage) => stage.trim())
  const app = textOf('src/app.ts')
  const inOrder = Object.entries(stages).toSorted(([, one], [, other]) => app.indexOf(one) - app.indexOf(other))
  expect(Object.values(stages).filter((stage) => !app.includes(stage))).toEqual([])
  expect(shown.slice(1, 1 + inOrder.length)).toEqual(inOrder.map(([name]) => name))
}

/** A server of the copy, whose lists ask for the scope `plants:write`, and a token that has another one. */
async function serveCopy({ folder, onFinished }: PageFolder): Promise<{ origin: string; token: string }> {
  await changeContract(
    folder,
    addGetPlant,
    replace(
      '      operationId: listPlants\n',
      '      operationId: listPlants\n      security: [{ bearer: [plants:write] }]\n',
    ),
    replace('            - 40400\n', '            - 40300\n            - 40400\n'),
    replace('            - path_not_found\n', '            - scope_missing\n            - path_not_found\n'),
    replace(
      '            - There is no such path.',
      '            - The token lacks a scope.\n            - There is no such path.',
    ),
  )
  expect(await generate(folder, 'write')).toMatchObject({ ok: true })
  const file = join(folder, 'plants.db')
  const { text: token, stored } = createToken('alice', Date.now(), undefined, 'plants:read')
  const store = openSqliteStore({ file, onFault: () => undefined })
  await store.addToken(stored)
  await store.close()
  const server = await startProcess({ DATABASE_URL: `sqlite:${file}` }, [nodeBinary, join(folder, 'src/main.ts')])
  onFinished(() => server.end())
  return { origin: server.origin, token }
}

/** The servers of the pages, by folder. */
const served = new Map<string, ReturnType<typeof serveCopy>>()

function serveOnce(page: PageFolder): ReturnType<typeof serveCopy> {
  const server = served.get(page.folder) ?? serveCopy(page)
  served.set(page.folder, server)
  return server
}

/** The answer to a token without the scope: its status, `www-authenticate` and its body. */
export async function answerWithoutScope(page: PageFolder): Promise<string> {
  const { origin, token } = await serveOnce(page)
  const answer = await fetch(`${origin}/plants`, { headers: { authorization: `Bearer ${token}` } })
  const header = `www-authenticate: ${answer.headers.get('www-authenticate') ?? ''}`
  return `HTTP/1.1 ${String(answer.status)} ${answer.statusText}\n${header}\n\n${await answer.text()}`
}

/** The lines of `npm run check`: each part, and what it says when nothing is wrong. Quick parts are run. */
export async function expectParts({ text }: Block, { folder }: PageFolder): Promise<void> {
  const [command, ...lines] = text.trimEnd().split('\n')
  expect(command).toBe('$ npm run -s check')
  const shown = lines.map((line) => /^✓ (\w+) +\d+\.\d s {2}(.*)$/.exec(line)?.slice(1) ?? [line])
  expect(shown.map(([name]) => name)).toEqual(Object.keys(parts))
  await changeContract(folder)
  await generate(folder, 'write')
  const source = textOf('scripts/develop/check/parts.ts')
  for (const [name = '', summary = ''] of shown) {
    if (name === 'generated' || name === 'breaking') {
      expect(await parts[name](folder)).toEqual({ ok: true, summary, details: '' })
    } else expect(source).toContain(`'${summary}'`)
  }
}

/** The client of the page creates a plant, and is told of one that is there. page-folders.ts has it compiled. */
export async function runClient({ text }: Block, page: PageFolder): Promise<void> {
  const { origin, token } = await serveOnce(page)
  const file = join(page.folder, 'client.ts')
  const source = await readFile(file, 'utf8')
  expect(source).toContain(text)
  await writeFile(file, source.replace('http://127.0.0.1:3000', origin))
  const run = () => promisify(execFile)(nodeBinary, [file], { env: { ...process.env, TOKEN: token } })
  expect((await run()).stdout).toBe('Wollemia nobilis\n')
  expect((await run()).stdout).toMatch(/^there is one already: .*9007199254740993/)
}

/** The code lets a function write the id 9007199254740993 digit for digit. */
export async function expectExact(code: string, write: string): Promise<void> {
  const program = `${code}\nconsole.log(${write}({ id: 9007199254740993n }))`
  const { stdout } = await promisify(execFile)(nodeBinary, ['--input-type=module-typescript', '--eval', program])
  expect(stdout).toBe('{"id":9007199254740993}\n')
}

/** Moves the page's SQLite file into a database of its own. */
export async function runMove({ text }: Block, { session }: PageFolder): Promise<void> {
  session.values.replace('postgres://USER@HOST:5432/DATABASE', `'${await temporaryDatabase()}'`)
  await session.run(text)
}

/** The statements give a Citus database the columns, keys and distribution that the service's own migrations give it. */
export async function expectSchema({ text }: Block): Promise<void> {
  const distribution = (text.match(/^SELECT .*\n/gm) ?? []).map((line) => line.trim())
  const expected = distributeTables.trim().split('\n')
  expect(distribution.toSorted()).toEqual(expected.map((line) => line.trim()).toSorted())
  const [documented, migrated] = [await temporaryDatabase(), await temporaryDatabase()]
  const client = await connect(documented)
  await client.query(text.replaceAll(/^SELECT .*\n/gm, ''))
  await client.end()
  await (await openStore({ engine: 'postgres', url: migrated }, { onFault: () => undefined })).close()
  expect(await describeSchema(documented)).toEqual(await describeSchema(migrated))
}

async function describeSchema(url: string): Promise<unknown> {
  const client = await connect(url)
  try {
    const columns = await client.query(
      `SELECT table_name, column_name, data_type, is_nullable, collation_name
       FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY table_name, column_name`,
    )
    const keys = await client.query(
      `SELECT conrelid::regclass::text AS table_name, pg_get_constraintdef(oid) AS key FROM pg_constraint
       WHERE connamespace = current_schema()::regnamespace AND contype = 'p' ORDER BY 1`,
    )
    const version = await client.query('SELECT version FROM plant_store_schema')
    return [columns.rows, keys.rows, version.rows]
  } finally {
    await client.end()
  }
}
