import { existsSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { expect, inject, test } from 'vitest'
import { kinds } from '../../src/store/table.ts'
import { startProgram } from '../support/server/program.ts'
import { type RunningServer, servedStore } from '../support/server/served-database.ts'
import { temporaryFolder } from '../support/server/start-app.ts'
import { type Command, nodeBinary, projectFolder, runScript } from '../support/server/start-process.ts'
import type * as ownRunsModule from '../contract-suite/own-requests.ts'
import { sendInTurn } from '../contract-suite/send-in-turn.ts'
import { type ProjectCopy, copyProject } from './project-copy.ts'

const textOf = (page: string) => readFileSync(join(projectFolder, 'docs/worked-examples', `${page}.md`), 'utf8')

/** The steps of a page, as docs/worked-examples/README.md describes them. */
const steps = {
  write: /^(Create|Replace) `(.+)`\n\n```\w+\n([^]*?)```\n/gm,
  insert:
    /^(?:- )?In `([^`]+)`(?: and `([^`]+)`)?, (after|before) `(.+?)`(?:, add\s+`(.+)`|\n\n```\w+\n([^]*?)\n```)$/gm,
  replace: /^- In `(.+)`,\s+replace each `(.+)`\s+with\s+`(.+)`$/gm,
}

/** Does the steps of a page to a copy of the project. */
async function follow({ root, edit }: ProjectCopy, page: string): Promise<void> {
  const text = textOf(page)
  let count = 0
  for (const [, how, path = '', block = ''] of text.matchAll(steps.write)) {
    const file = join(root, path)
    expect({ path, exists: existsSync(file) }).toEqual({ path, exists: how === 'Replace' })
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, block)
    count++
  }
  for (const [, file = '', second, how, line = '', added, block] of text.matchAll(steps.insert)) {
    for (const each of second === undefined ? [file] : [file, second]) {
      await edit(each, (content) => insert(content, how === 'after', line, added, block))
    }
    count++
  }
  for (const [, file = '', old = '', other = ''] of text.matchAll(steps.replace)) {
    await edit(file, (content) => content.replaceAll(old, other))
    count++
  }
  expect(count).toBe([...text.matchAll(/^(?:- In|In|Create|Replace) `/gm)].length)
}

function insert(content: string, isAfter: boolean, line: string, added?: string, block = ''): string {
  const lines = content.split('\n')
  const place = lines.findIndex((each) => each.trim() === line)
  if (place === -1) throw new Error(`no line is ${line}`)
  const [indentation] = /^ */.exec(lines[place]!)!
  const inserted = added === undefined ? withFailures(block, content) : indentation + added
  lines.splice(isAfter ? place + 1 : place, 0, inserted)
  return lines.join('\n')
}

/** Puts the failures of an operation in place of each comment that names it. */
function withFailures(block: string, contract: string): string {
  return block.replaceAll(/^ *# and the failures of (\w+)$/gm, (comment, operation: string) => {
    // A link names operations too, but deeper.
    const [, rest = ''] = contract.split(`\n      operationId: ${operation}\n`)
    const [failures] = /(?: {8}'\d+': \{ \$ref: .*\}\n)+/.exec(rest) ?? []
    if (failures === undefined) throw new Error(`no failures for ${comment}`)
    return failures.trimEnd()
  })
}

const compiler = join(projectFolder, 'node_modules/typescript-7/bin/tsc')

async function run(root: string, command: string[]): Promise<{ code: number | null; output: string }> {
  const { ended, stdout, stderr } = await startProgram(command, { cwd: root, env: process.env }, () => true)
  return { code: await ended, output: stdout() + stderr() }
}

/** Generates and compiles, which must print no problem. */
async function expectSound({ root }: ProjectCopy): Promise<void> {
  const generated = await run(root, ['npm', 'run', '--silent', 'generate'])
  expect(generated).toMatchObject({ code: 0, output: expect.stringMatching(/^wrote .*\n$/) as string })
  expect(await run(root, [nodeBinary, compiler, '--noEmit'])).toEqual({ code: 0, output: '' })
}

/** Runs the contract suite, which names what no response has shown. */
async function expectContractKept({ root }: ProjectCopy): Promise<void> {
  // The suite runs on SQLite, whatever the engine of this run.
  if (inject('engine') !== 'sqlite') return
  const { code, output } = await run(root, ['npm', 'run', '--silent', 'test:contract', '--', '--seed', '54'])
  expect(code, output.slice(-3_000)).toBe(0)
}

const serverOf = ({ root }: ProjectCopy): Command => [nodeBinary, join(root, 'src/main.ts')]

/** Does the steps of pages to a copy whose database has two plants, and starts it. */
async function serveAfter(...pages: string[]) {
  const project = await copyProject()
  const served = await servedStore()
  const old = await served.serve({}, serverOf(project))
  await old.send('POST', '/plants', { id: 1, name: 'a', tag: 'b' })
  await old.send('POST', '/plants', { id: 2, name: 'c' })
  await old.end()
  for (const page of pages) await follow(project, page)
  await expectSound(project)
  return { project, ...served, server: await served.serve({}, serverOf(project)) }
}

/** Sends a request and returns its status and body. */
async function ask(server: RunningServer, method: string, path: string, body?: object, headers?: object) {
  const { status, text } = await server.send(method, path, body, headers)
  return [status, text === '' ? undefined : (JSON.parse(text) as unknown)]
}

const etagOf = async (server: RunningServer, path: string) => (await server.send('GET', path)).headers.get('etag') ?? ''

test('Read one plant, Change one plant', async () => {
  const { server, project } = await serveAfter('read-one-plant', 'change-one-plant')
  await expectContractKept(project)
  expect(await ask(server, 'GET', '/plants/1')).toEqual([200, { name: 'a', tag: 'b' }])
  expect(await ask(server, 'GET', '/plants/3')).toMatchObject([404, { error: 40_401 }])

  const first = { 'if-match': await etagOf(server, '/plants/1') }
  const patch = (body: object, headers: object) => ask(server, 'PATCH', '/plants/1', body, headers)
  expect(await patch({ name: 'd' }, {})).toMatchObject([400, { error: 40_001 }])
  expect(await patch({ name: 'd' }, first)).toEqual([200, { name: 'd', tag: 'b' }])
  expect(await patch({ name: 'e' }, first)).toMatchObject([412, { error: 41_200 }])
  const second = { 'if-match': await etagOf(server, '/plants/1') }
  const together = await Promise.all(['f', 'g', 'h'].map((tag) => patch({ tag }, second)))
  expect(together.map(([status]) => status).sort()).toEqual([200, 412, 412])
  const [, winner] = together.find(([status]) => status === 200)!
  expect(await ask(server, 'GET', '/plants')).toEqual([200, [winner, { name: 'c' }]])
})

test('Store a number, a boolean, an enum', async () => {
  const { project, serve, server, url } = await serveAfter('store-properties')
  await expectContractKept(project)
  const old = [{ name: 'a', tag: 'b' }, { name: 'c' }]
  const plant = { name: 'd', height: 30.1, supplier: 7, leaves: 12, edible: false, light: 'sun' }
  const other = { name: 'e', height: 100, leaves: -3, edible: true, light: 'shade' }
  expect(await ask(server, 'POST', '/plants', { id: 3, ...plant })).toEqual([200, plant])
  expect(await ask(server, 'POST', '/plants', { id: 4, ...other })).toEqual([200, other])
  expect(await ask(server, 'POST', '/plants', { id: 5, name: 'f', light: 'dark' })).toMatchObject([400, {}])
  for (const path of ['/plants', '/plants?limit=9']) {
    expect(await ask(server, 'GET', path)).toEqual([200, [...old, plant, other]])
  }
  await server.end()

  const moved = `sqlite:${join(await temporaryFolder(), 'moved.db')}`
  const move = relative(projectFolder, join(project.root, 'scripts/move/move.ts'))
  expect(await runScript(move, ['--from', url, '--to', moved])).toMatchObject({ code: 0, stderr: '' })
  const second = await serve({ DATABASE_URL: moved }, serverOf(project))
  expect(await ask(second, 'GET', '/plants')).toEqual([200, [...old, plant, other]])
  await second.end()

  await project.edit('src/plants/plant.ts', (text) => text.replace("height: 'number?'", "height: 'integer?'"))
  await expect(serve({}, serverOf(project))).rejects.toThrow(
    'the column plants.height has the kind integer, but the contract allows fractions in Plant.height; make it a number',
  )
  await project.edit('src/plants/plant.ts', (text) => text.replace("height: 'integer?'", "height: 'number?'"))
  await project.edit('src/plants/plant.ts', (text) => text.replace("light: 'text?'", "light: 'int64?'"))
  await expect(serve({}, serverOf(project))).rejects.toThrow(
    inject('engine') === 'sqlite'
      ? ' has plants.light as TEXT, but the kind int64? is INTEGER; correct its kind, or its migration'
      : ' has plants.light as text, but the kind int64? is bigint; correct its kind, or its migration',
  )
})

test('Store what the server sets', async () => {
  const { server, project, url } = await serveAfter('read-one-plant', 'change-one-plant', 'server-values')
  await expectContractKept(project)
  const time = '2026-11-29T10:00:00Z'
  const times = { createdAt: time, updatedAt: time }
  const old: object[] = [
    { name: 'a', tag: 'b', ...times },
    { name: 'c', ...times },
  ]
  expect(await ask(server, 'GET', '/plants?limit=2')).toEqual([200, old])
  const before = new Date().toISOString()
  const [status, created] = await ask(server, 'POST', '/plants', { id: 3, name: 'd' })
  const { createdAt } = created as { createdAt: string }
  expect([status, created]).toEqual([200, { name: 'd', createdAt, updatedAt: createdAt }])
  expect(before <= createdAt && createdAt <= new Date().toISOString()).toBe(true)
  expect(await ask(server, 'GET', '/plants')).toEqual([200, [...old, created]])
  expect(await ask(server, 'POST', '/plants', { id: 4, name: 'e', createdAt })).toMatchObject([400, { error: 40_001 }])
  const headers = { 'if-match': await etagOf(server, '/plants/3') }
  const [, changed] = await ask(server, 'PATCH', '/plants/3', { tag: 'f' }, headers)
  const { updatedAt } = changed as { updatedAt: string }
  expect(changed).toEqual({ name: 'd', tag: 'f', createdAt, updatedAt })
  expect(updatedAt > createdAt).toBe(true)
  await server.end()

  const moved = `sqlite:${join(await temporaryFolder(), 'moved.db')}`
  const move = relative(projectFolder, join(project.root, 'scripts/move/move.ts'))
  expect(await runScript(move, ['--from', url, '--to', moved])).toMatchObject({ code: 0, stderr: '' })
})

test('Add a required property', async () => {
  const { server, project } = await serveAfter('required-property')
  await expectContractKept(project)
  expect(await ask(server, 'POST', '/plants', { id: 3, name: 'd' })).toMatchObject([400, { error: 40_001 }])
  const plant = { name: 'd', sunlight: 'shade' }
  expect(await ask(server, 'POST', '/plants', { id: 3, ...plant })).toEqual([200, plant])
  const old = [
    { name: 'a', sunlight: 'full', tag: 'b' },
    { name: 'c', sunlight: 'full' },
  ]
  for (const path of ['/plants', '/plants?limit=9'])
    expect(await ask(server, 'GET', path)).toEqual([200, [...old, plant]])
})

test('Limit the plants of a caller', async () => {
  const { server, project } = await serveAfter('quota')
  await expectContractKept(project)
  const ids = Array.from({ length: 1_010 }, (_, index) => index)
  const statuses = await Promise.all(ids.map((id) => server.create(id)))
  // Two plants were there, with the ids 1 and 2.
  expect(statuses.filter((status) => status === 200)).toHaveLength(998)
  expect(await ask(server, 'POST', '/plants', { id: 2, name: 'a' })).toMatchObject([409, { error: 40_900 }])
  expect(await ask(server, 'POST', '/plants', { id: 2_000, name: 'a' })).toMatchObject([409, { error: 40_902 }])
  expect((await server.send('DELETE', '/plants/1')).status).toBe(204)
  expect(await server.create(2_000)).toBe(200)
})

test('Upload a photo', async () => {
  const { server, project, url, serve, token } = await serveAfter('upload-a-photo')
  await expectContractKept(project)
  async function request(
    method: string,
    path: string,
    body?: Uint8Array<ArrayBuffer>,
    type = 'image/jpeg',
    at = server,
  ) {
    const headers = { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': type }) }
    const response = await fetch(at.origin + path, { method, headers, ...(body === undefined ? {} : { body }) })
    return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) }
  }
  const photo = new Uint8Array(5_000_000).map((_, index) => index % 251)
  expect((await request('GET', '/plants/1/photo')).status).toBe(404)
  expect((await request('PUT', '/plants/1/photo', new Uint8Array([0, 255]))).status).toBe(204)
  expect((await request('PUT', '/plants/1/photo', photo)).status).toBe(204)
  expect((await request('PUT', '/plants/3/photo', photo)).status).toBe(404)
  expect((await request('PUT', '/plants/1/photo', new Uint8Array(5_000_001))).status).toBe(413)
  expect((await request('PUT', '/plants/1/photo', photo, 'image/png')).status).toBe(415)
  expect((await request('POST', '/plants', new Uint8Array(65_537), 'application/json')).status).toBe(413)
  const { status, bytes } = await request('GET', '/plants/1/photo')
  expect([status, Buffer.compare(bytes, photo)]).toEqual([200, 0])
  await server.end()

  const moved = `sqlite:${join(await temporaryFolder(), 'moved.db')}`
  const move = relative(projectFolder, join(project.root, 'scripts/move/move.ts'))
  const { code, stdout } = await runScript(move, ['--from', url, '--to', moved])
  expect([code, stdout]).toEqual([0, expect.stringContaining('verified  photos: 1 ')])
  const second = await serve({ DATABASE_URL: moved }, serverOf(project))
  expect(Buffer.compare((await request('GET', '/plants/1/photo', undefined, '', second)).bytes, photo)).toBe(0)
  expect((await second.send('DELETE', '/plants/1')).status).toBe(204)
  expect((await request('GET', '/plants/1/photo', undefined, '', second)).status).toBe(404)
})

test('all pages in a row', async () => {
  const pages = [
    'read-one-plant',
    'change-one-plant',
    'store-properties',
    'filter-and-continue',
    'second-resource',
    'upload-a-photo',
  ]
  const { project, serve, server, token } = await serveAfter(...pages)
  for (const id of [1, 2]) await server.send('DELETE', `/plants/${String(id)}`)
  const own = (await import(join(project.root, 'test/contract-suite/own-requests.ts'))) as typeof ownRunsModule
  await sendInTurn(own.requests, async ({ method, url, headers = {}, body }) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const all = { authorization: `Bearer ${token}`, ...type, ...headers }
    const response = await fetch(server.origin + url, { method, headers: all, ...(body === undefined ? {} : { body }) })
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text: await response.text(),
    }
  })
  await server.end()

  await follow(project, 'rename-a-property')
  await project.edit('src/plants/listPlants.ts', (text) => text.replace('OR tag = ?', 'OR kind = ?'))
  await expectSound(project)
  const renamed = await serve({}, serverOf(project))
  const plant = { name: 'd', supplier: 7, leaves: 12, kind: 'f' }
  expect(await ask(renamed, 'POST', '/plants', { id: 54, ...plant })).toEqual([200, plant])
  const headers = { 'if-match': await etagOf(renamed, '/plants/54') }
  expect(await ask(renamed, 'PATCH', '/plants/54', { kind: 'g' }, headers)).toEqual([200, { ...plant, kind: 'g' }])
  expect(await ask(renamed, 'GET', '/plants?tag=g')).toEqual([200, [{ ...plant, kind: 'g' }]])
  await renamed.end()

  await project.edit('openapi.yaml', (text) => text.replace(/^ {8}leaves: .*\n/m, ''))
  await run(project.root, ['npm', 'run', '--silent', 'generate'])
  await expect(serve({}, serverOf(project))).rejects.toThrow(
    'plants has a column for leaves, but Plant in the contract has no such property; declare it there, or remove the ' +
      'column from the table in src',
  )
})

test('the table of kinds has the types that the start expects', () => {
  const rows = [...textOf('store-properties').matchAll(/^\| .*\| `(\w+)` \| (\w+) \| ([\w ]+) \|$/gm)]
  const told: unknown = Object.fromEntries(rows.map(([, kind, sqlite, postgres]) => [kind, { sqlite, postgres }]))
  expect(told).toEqual(
    Object.fromEntries(Object.entries(kinds).map(([kind, { sqlite, postgres }]) => [kind, { sqlite, postgres }])),
  )
})

test('Filter, and continue a list', async () => {
  const { server, project, token } = await serveAfter('filter-and-continue')
  await expectContractKept(project)
  for (const id of [3, 4, 5, 6]) await server.send('POST', '/plants', { id, name: String(id), tag: 'é&b' })
  const names: string[][] = []
  for (let path: string | undefined = `/plants?limit=2&tag=${encodeURIComponent('é&b')}`; path !== undefined;) {
    const { headers, text } = await server.send('GET', path)
    names.push((JSON.parse(text) as { name: string }[]).map(({ name }) => name))
    path = /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
  }
  expect(names).toEqual([
    ['3', '4'],
    ['5', '6'],
  ])
  expect(await ask(server, 'GET', '/plants?limit=0')).toEqual([200, []])
  await fetch(`${server.origin}/plants`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"id":-9223372036854775808,"name":"lowest"}',
  })
  expect(await ask(server, 'GET', '/plants?limit=1')).toEqual([200, [{ name: 'lowest' }]])
  expect(await ask(server, 'GET', '/plants?limit=1&after=-9223372036854775808')).toMatchObject([200, [{ name: 'a' }]])
  expect(await ask(server, 'GET', '/plants')).toMatchObject([200, { length: 7 }])
})

test('Rename a property', async () => {
  const { server } = await serveAfter('rename-a-property')
  expect(await ask(server, 'POST', '/plants', { id: 3, name: 'd', kind: 'e', tag: 'f' })).toEqual([
    200,
    { name: 'd', kind: 'e' },
  ])
  const all = [{ name: 'a', kind: 'b' }, { name: 'c' }, { name: 'd', kind: 'e' }]
  for (const path of ['/plants', '/plants?limit=9']) expect(await ask(server, 'GET', path)).toEqual([200, all])
})

test('Remove a property', async () => {
  const project = await copyProject()
  const { serve } = await servedStore()
  const old = await serve({}, serverOf(project))
  await old.send('POST', '/plants', { id: 1, name: 'a', tag: 'b' })
  await old.end()
  await project.edit('openapi.yaml', (text) =>
    text.replace(/^ {8}tag:\n(?: {10}.*\n)+/m, '').replaceAll(/^ *tag: \w+\n|, tag: \w+/gm, ''),
  )
  await project.edit('src/plants/plant.ts', (text) => text.replace("  tag: 'text?',\n", ''))
  await expectSound(project)
  const server = await serve({}, serverOf(project))
  expect(await ask(server, 'GET', '/plants')).toEqual([200, [{ name: 'a' }]])
  await server.end()
  await follow(project, 'remove-a-property')
  const later = await serve({}, serverOf(project))
  expect(await ask(later, 'POST', '/plants', { id: 2, name: 'c', tag: 'd' })).toEqual([200, { name: 'c' }])
  expect(await ask(later, 'GET', '/plants')).toEqual([200, [{ name: 'a' }, { name: 'c' }]])
})

test('Add a second resource', async () => {
  const { project, server, serve, url } = await serveAfter('second-resource')
  await expectContractKept(project)
  const gardens = [
    { id: -1, name: 'yard' },
    { id: 7, name: 'roof' },
  ]
  expect(await ask(server, 'POST', '/gardens', gardens[1])).toEqual([200, gardens[1]])
  expect(await ask(server, 'POST', '/gardens', { id: 7, name: 'yard' })).toMatchObject([409, { error: 40_901 }])
  expect(await ask(server, 'POST', '/gardens', gardens[0])).toEqual([200, gardens[0]])
  expect(await ask(server, 'GET', '/gardens')).toEqual([200, gardens])
  expect((await fetch(`${server.origin}/readyz`)).status).toBe(200)
  await server.end()

  const script = (name: string) => relative(projectFolder, join(project.root, 'scripts', name))
  const folder = await temporaryFolder()
  const moved = `sqlite:${join(folder, 'moved.db')}`
  const { code, stdout } = await runScript(script('move/move.ts'), ['--from', url, '--to', moved])
  expect(stdout).toMatch(/^verified {2}gardens: 2 .*\nverified {2}plants: 2 .*\nverified {2}tokens: 1 .*\n$/)
  expect(code).toBe(0)
  const backup = await runScript(script('backup.ts'), [join(folder, 'copy.db')], { DATABASE_URL: moved })
  expect(backup).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(': 2 gardens, 2 plants, and 1 token in') as string,
  })
  const second = await serve({ DATABASE_URL: `sqlite:${join(folder, 'copy.db')}` }, serverOf(project))
  expect(await ask(second, 'GET', '/gardens')).toEqual([200, gardens])
})
