import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'

const repository = join(import.meta.dirname, '../../..')
const packages = ['packages/fastify-contract', 'packages/fastify-contract-cli']
/** The Node of each major version, as npm installs it. */
const versions = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0' }

const page = readFileSync(join(repository, 'packages/fastify-contract/docs/getting-started.md'), 'utf8')

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

/** A folder with the packed packages and each Node installed, as docs/getting-started.md says. */
let project: string

function run(version: keyof typeof versions, command: string, ...parameters: string[]) {
  return execFileSync(command, parameters, {
    cwd: project,
    env: environmentOf(version),
    encoding: 'utf8',
    stdio: 'pipe',
  })
}

function environmentOf(version: keyof typeof versions) {
  const bins = [`node_modules/node${String(version)}/bin`, 'node_modules/.bin'].map((folder) => join(project, folder))
  return { ...process.env, PATH: [...bins, process.env['PATH']].join(':') }
}

/** Packs a copy: while npm packs, package.json does not lead to the sources. @returns the tarballs */
async function pack(folder: string): Promise<string[]> {
  const copy = join(folder, 'repository')
  for (const part of ['packages', 'tsconfig.json'])
    await cp(join(repository, part), join(copy, part), { recursive: true })
  await symlink(join(repository, 'node_modules'), join(copy, 'node_modules'))
  const manifests = () => Promise.all(packages.map((name) => readFile(join(copy, name, 'package.json'), 'utf8')))
  const before = await manifests()
  const paths = packages.map((name) => `./${name}`)
  execFileSync('npm', ['pack', ...paths, '--pack-destination', folder], { cwd: copy, stdio: 'pipe' })
  expect(await manifests(), 'each package.json is as it was').toEqual(before)
  return (await readdir(folder)).filter((name) => name.endsWith('.tgz')).map((name) => join(folder, name))
}

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'packed-'))
  project = join(folder, 'project')
  await mkdir(project)
  const tarballs = await pack(folder)
  const aliases = Object.entries(versions).map(([major, version]) => [`node${major}`, `npm:node@${version}`])
  const nodes = Object.fromEntries(aliases) as Record<string, string>
  // The file has these members.
  const { dependencies, devDependencies } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
    devDependencies: Record<string, string>
  }
  const manifest = {
    private: true,
    type: 'module',
    dependencies: { fastify: dependencies['fastify'], pino: dependencies['pino'] },
    devDependencies: { '@types/node': devDependencies['@types/node'], ...nodes },
    allowScripts: { node: true },
  }
  await writeFile(join(project, 'package.json'), JSON.stringify(manifest))
  await writeFile(join(project, 'openapi.yaml'), block('yaml'))
  await writeFile(join(project, 'server.ts'), server)
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts', 'generated'] }))
  const options = ['--prefer-offline', '--no-audit', '--no-fund']
  execFileSync('npm', ['install', ...options, ...tarballs], { cwd: project, stdio: 'pipe' })
  return () => rm(folder, { recursive: true, force: true })
}, 300_000)

test.each([22, 24] as const)(
  'on Node %i the packed packages generate, compare and serve a contract',
  { timeout: 120_000 },
  async (version) => {
    expect(run(version, 'node', '--version')).toBe(`v${versions[version]}\n`)
    expect(run(version, 'fastify-contract', 'generate')).toMatch(/generated\/openapi\.ts|up to date/)
    await writeFile(join(project, 'before.yaml'), block('yaml').replace('maxLength: 5', 'maxLength: 4'))
    expect(run(version, 'fastify-contract', 'breaking', 'before.yaml')).toMatch(/1 compatible/)

    const child = spawn('node', ['server.ts'], {
      cwd: project,
      env: environmentOf(version),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
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

test('the types of the packed packages find a wrong handler', { timeout: 120_000 }, async () => {
  run(24, 'fastify-contract', 'generate')
  run(24, 'tsc')
  await writeFile(join(project, 'wrong.ts'), server.replace('status: 200', 'status: 204'))
  expect(() => run(24, 'tsc')).toThrow()
})

test('another version of Node is named in one line, with exit code 2', () => {
  const command = { cwd: project, env: environmentOf(20), encoding: 'utf8' } as const
  expect(spawnSync('fastify-contract', ['generate'], command)).toMatchObject({
    status: 2,
    stdout: '',
    stderr: `fastify-contract runs on Node 22 and 24, not v${versions[20]}; install one of them\n`,
  })
})
