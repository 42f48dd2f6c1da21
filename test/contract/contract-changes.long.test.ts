import { execFile } from 'node:child_process'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { startProgram } from '../support/server/program.ts'
import { addGetPlant, copyProject } from './project-copy.ts'

const compiler = join(import.meta.dirname, '../../node_modules/typescript-7/bin/tsc')

interface Output {
  code: number
  stdout: string
  stderr: string
}

async function execute(command: string, args: string[], cwd: string): Promise<Output> {
  return promisify(execFile)(command, args, { cwd, env: { ...process.env, PORT: '0' } }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: unknown) => error as Output,
  )
}
const npm = (root: string, ...args: string[]) => execute('npm', ['run', '--silent', ...args], root)

/** Starts the server of a copy and reads its address and a token. */
async function startServer(root: string): Promise<{ origin: string; token: string }> {
  const env = { ...process.env, PORT: '0', LOG_LEVEL: 'silent' }
  const printed = /^Plant Store +(\S+)[^]*^Token +(\S+)/m
  const server = await startProgram([process.execPath, 'src/main.ts'], { cwd: root, env }, (text) => printed.test(text))
  onTestFinished(() => server.end())
  const [, origin = '', token = ''] = printed.exec(server.stdout()) ?? []
  return { origin, token }
}

test('compiler and server name a new operation that has no handler', async () => {
  const { root, edit } = await copyProject()
  await cp(join(root, 'openapi.yaml'), join(root, 'docs/releases/openapi-1.0.0.yaml'))
  await edit('openapi.yaml', addGetPlant)
  expect((await npm(root, 'generate')).stdout).toBe('wrote generated/contract.ts, generated/openapi.ts\n')
  expect(await execute(process.execPath, ['src/main.ts'], root)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^plant-store: operation getPlant: has no handler.*\n$/) as string,
  })
  const types = await execute(process.execPath, [compiler, '--noEmit'], root)
  expect(types.stdout).toMatch(/error TS.*getPlant/)

  await edit('src/handlers.ts', (text) =>
    text
      .replace('\n}', '\n  getPlant: notImplemented,\n}')
      .replace(/^/, "import { notImplemented } from 'fastify-contract'\n"),
  )
  expect(await execute(process.execPath, [compiler, '--noEmit'], root)).toMatchObject({ stdout: '' })
  const { origin, token } = await startServer(root)
  const response = await fetch(`${origin}/plants/54`, { headers: { authorization: `Bearer ${token}` } })
  expect([response.status, await response.json()]).toEqual([501, expect.objectContaining({ error: 50100 })])
  expect((await npm(root, 'breaking')).stdout).toMatch(
    /: 0 breaking, 1 compatible, 0 editorial; set info\.version to 1\.1\.0 /,
  )
})

test('the check refuses a line of a description that Markdown shows as a list', async () => {
  const { root, edit } = await copyProject()
  expect(await npm(root, 'lint:contract')).toMatchObject({ code: 0 })
  await edit('openapi.yaml', (text) => text.replace(/( to)( 9223372036854775807\.\n)/, '$1\n           $2'))
  const { code, stdout } = await npm(root, 'lint:contract')
  expect(code).toBe(1)
  expect(stdout).toContain('a line of a description must not begin with digits and a point')
})
