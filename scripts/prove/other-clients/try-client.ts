import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { OtherClient } from './clients.ts'

export interface Service {
  origin: string
  token: string
}

/** The ids that a double cannot tell from another, or cannot write. */
const ids = ['9007199254740992', '9007199254740993', '9007199254740994', '-9223372036854775808']

const execute = promisify(execFile)
const compilers = ['typescript@5.9.3', 'esbuild@0.25.12', '@types/node@24.19.2']
const compilerOptions = {
  strict: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  target: 'es2024',
  lib: ['es2024', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  types: ['node'],
}
const program = `
import { create, remove } from './client'
const [action, id = ''] = process.argv.slice(2)
if (action === 'create') await create(id)
if (action === 'remove') await remove(id)
`

/**
 * Installs a generator, has it make a client, compiles a program that uses the client, and runs it against the service.
 *
 * @param folder an empty folder
 * @param contract the path of openapi.yaml
 * @returns a row of the table: what compiles, and what becomes of the ids in a body and in a path
 */
export async function tryClient(
  { name, packages, generate, files = {}, client }: OtherClient,
  folder: string,
  contract: string,
  service: Service,
): Promise<string> {
  mkdirSync(folder, { recursive: true })
  const environment = {
    ...process.env,
    PATH: `${join(folder, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`,
    BASE: service.origin,
    TOKEN: service.token,
  }
  const run = (command: string) =>
    execute('sh', ['-c', command], { cwd: folder, env: environment, timeout: 240_000, maxBuffer: 2 ** 26 })
  const sources = { ...files, 'client.ts': client, 'program.ts': program }
  for (const [file, text] of Object.entries(sources)) writeFileSync(join(folder, file), text)
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))
  copyFileSync(contract, join(folder, 'openapi.yaml'))

  await run(`npm install --no-audit --no-fund ${[...packages, ...compilers].join(' ')}`)
  await run(generate)
  const compiles = await run('tsc').then(
    () => 'yes',
    // What execFile rejects with has the output of the compiler.
    (error: unknown) => `no: ${(error as { stdout: string }).stdout.split('\n', 1).join()}`,
  )
  await run(
    'esbuild program.ts --bundle --packages=external --platform=node --format=esm --outfile=program.mjs ' +
      '--log-level=error',
  )
  // A program that cannot be loaded would look like a client that refuses every id.
  await run('node program.mjs')
  const start = async (action: string, id: string) => {
    try {
      await run(`node program.mjs ${action} ${id}`)
    } catch {
      // A client may throw what the service answers, or refuse the id by itself. What counts is what is stored.
    }
  }
  const cells = [name, `${packages[0] ?? ''}: \`${generate}\``, compiles]
  return [...cells, await tryBodies(service, start), await tryPaths(service, start)].join(' | ')
}

type Start = (action: string, id: string) => Promise<void>

/** Creates each id with the client, and deletes exactly what is stored. */
async function tryBodies(service: Service, start: Start): Promise<string> {
  const outcomes: string[] = []
  for (const id of ids) {
    await start('create', id)
    outcomes.push(outcome(id, await deleteEach(service, 204)))
  }
  return summary(outcomes)
}

/** Stores all ids, deletes each with the client, and deletes exactly what is left. */
async function tryPaths(service: Service, start: Start): Promise<string> {
  const outcomes: string[] = []
  for (const id of ids) {
    for (const each of ids) {
      const response = await send(service, 'POST', '/plants', `{"id":${each},"name":"a"}`)
      if (response.status !== 200) throw new Error(`the plant ${each} was not created: ${await response.text()}`)
    }
    await start('remove', id)
    outcomes.push(outcome(id, await deleteEach(service, 404)))
  }
  return summary(outcomes)
}

/** @returns the ids whose deletion has this status */
async function deleteEach(service: Service, status: number): Promise<string[]> {
  const found: string[] = []
  for (const id of ids) if ((await send(service, 'DELETE', `/plants/${id}`)).status === status) found.push(id)
  return found
}

async function send({ origin, token }: Service, method: string, path: string, body?: string): Promise<Response> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  return fetch(`${origin}${path}`, { method, headers, ...(body !== undefined && { body }) })
}

/** @param met the ids that the client has created or deleted */
function outcome(id: string, met: string[]): string {
  if (met.length === 1 && met[0] === id) return ''
  return `${met.length === 0 ? 'refused' : 'rounded'} ${id}`
}

function summary(outcomes: string[]): string {
  const wrong = outcomes.filter((text) => text !== '')
  if (wrong.length === 0) return 'exact'
  return wrong.length === ids.length && wrong.every((text) => text.startsWith('refused'))
    ? 'all refused'
    : wrong.join(', ')
}
