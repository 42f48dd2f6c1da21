import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
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

const page = readFileSync(join(packageFolder, 'docs/getting-started.md'), 'utf8')

/** The first block of a language on the page. */
function block(language: string): string {
  const [, text] = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'm').exec(page) ?? []
  if (text === undefined) throw new Error(`docs/getting-started.md has no block of ${language}`)
  return text
}

const server = block('ts').replace('port: 3000', 'port: 0')

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
  'the package that npm packs serves the contract of docs/getting-started.md, and its types find a wrong handler',
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
    await writeFile(join(project, 'openapi.yaml'), block('yaml'))
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
    for (const request of block('console').split(/^\$ /m).slice(1)) {
      const [command = '', output = ''] = request.split('\n')
      const url = command.replace('curl http://127.0.0.1:3000', origin)
      expect(await (await fetch(url)).text(), command).toBe(output)
    }
    expect((await fetch(`${origin}/docs`)).status).toBe(200)
  },
)
