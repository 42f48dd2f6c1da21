import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const packageFolder = join(import.meta.dirname, '..')
const repository = join(packageFolder, '../..')
const environment = { ...process.env, PATH: `${join(repository, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}` }

function run(folder: string, command: string, ...parameters: string[]): string {
  return execFileSync(command, parameters, { cwd: folder, env: environment, encoding: 'utf8', stdio: 'pipe' })
}

const contract = `openapi: 3.1.0
info: { title: Greetings, version: 1.0.0 }
servers: [{ url: / }]
security: []
paths:
  /greetings/{name}:
    get:
      operationId: greet
      summary: Greets somebody
      parameters:
        - { name: name, in: path, required: true, schema: { type: string, maxLength: 5 } }
      responses:
        '200':
          description: A greeting.
          content:
            application/json:
              schema: { type: object, required: [text], properties: { text: { type: string } } }
        default: { $ref: '#/components/responses/Failure' }
components:
  responses:
    Failure:
      description: A failure.
      content: { application/json: { schema: { $ref: '#/components/schemas/Error' } } }
  schemas:
    Error:
      type: object
      required: [error, message]
      properties:
        message: { type: string }
        error:
          type: integer
          format: int32
          enum: &numbers NUMBERS
          x-enum-varnames: NAMES
          x-enum-descriptions: NAMES
`
  .replace('&numbers ', '')
  .replace(
    'NUMBERS',
    '[40000, 40001, 40002, 40100, 40101, 40400, 40500, 40800, 41300, 41500, 42900, 43100, 50000, 50300]',
  )
  .replaceAll(
    'NAMES',
    '[malformed_body, invalid_request, malformed_http, credentials_missing, token_invalid, path_not_found, ' +
      'method_not_allowed, request_timeout, body_too_large, unsupported_media_type, rate_limited, headers_too_large, ' +
      'internal, unavailable]',
  )

const server = `import fastify from 'fastify'
import { type Handlers, fastifyContract, fastifyOptions, loadContract } from 'fastify-contract'
import { pino } from 'pino'
import { errors } from './generated/errors.ts'
import type { callers, operations } from './generated/openapi.ts'

const handlers: Handlers<operations, callers, object> = {
  greet: ({ path: { name } }) => ({ status: 200, body: { text: \`Hello, \${name}\` } }),
}
const numbers: Record<string, { error: number }> = errors
const failureBody = (name: string, message: string) => ({ error: numbers[name]?.error, message })
const app = fastify(fastifyOptions({ logger: pino({ level: 'silent' }), failureBody }))
await app.register(fastifyContract, {
  contract: await loadContract(import.meta.dirname),
  handlers,
  services: {},
  verifierOf: () => undefined,
  realm: 'greetings',
  favicon: '<svg xmlns="http://www.w3.org/2000/svg"/>',
})
console.log(await app.listen({ port: 0 }))
`

const compilerOptions = {
  module: 'nodenext',
  target: 'esnext',
  types: ['node'],
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
}

/** Packs a copy: while npm packs, package.json does not lead to the sources. @returns the tarball */
async function pack(folder: string): Promise<string> {
  const copy = join(folder, 'repository/packages/fastify-contract')
  await mkdir(dirname(copy), { recursive: true })
  await cp(packageFolder, copy, { recursive: true })
  await cp(join(repository, 'tsconfig.json'), join(folder, 'repository/tsconfig.json'))
  await symlink(join(repository, 'node_modules'), join(folder, 'repository/node_modules'))
  const before = await readFile(join(copy, 'package.json'), 'utf8')
  run(copy, 'npm', 'pack', '--pack-destination', folder)
  expect(await readFile(join(copy, 'package.json'), 'utf8'), 'package.json is as it was').toBe(before)
  const [tarball = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
  return join(folder, tarball)
}

test(
  'the package that npm packs serves a contract in an empty folder, and its types find a wrong handler',
  { timeout: 300_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'packed-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const tarball = await pack(folder)
    const project = join(folder, 'project')
    await mkdir(project)
    const { dependencies, devDependencies } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>
      devDependencies: Record<string, string>
    }
    const others = { fastify: dependencies['fastify'], pino: dependencies['pino'] }
    const tools = { '@types/node': devDependencies['@types/node'] }
    const manifest = {
      private: true,
      type: 'module',
      dependencies: { ...others, 'fastify-contract': `file:${tarball}` },
    }
    await writeFile(join(project, 'package.json'), JSON.stringify({ ...manifest, devDependencies: tools }))
    await writeFile(join(project, 'openapi.yaml'), contract)
    await writeFile(join(project, 'server.ts'), server)
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts', 'generated'] }))

    run(project, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund')
    run(project, 'npx', 'fastify-contract', 'generate')
    // The library depends on TypeScript.
    run(project, 'npx', 'tsc')
    await writeFile(join(project, 'wrong.ts'), server.replace('status: 200', 'status: 204'))
    expect(() => run(project, 'npx', 'tsc')).toThrow()

    const child = spawn('node', ['server.ts'], { cwd: project, env: environment, stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill())
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const origin = line.toString().trim()
    const good = await fetch(`${origin}/greetings/Ada`)
    expect([good.status, await good.json()]).toEqual([200, { text: 'Hello, Ada' }])
    const bad = await fetch(`${origin}/greetings/Aristotle`)
    expect([bad.status, await bad.json()]).toMatchObject([400, { error: 40_001 }])
    expect((await fetch(`${origin}/docs`)).status).toBe(200)
  },
)
