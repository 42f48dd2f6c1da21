import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { folderWith } from './contracts.ts'
import { type PackedPackage, packPackages } from './pack.ts'

const repository = join(import.meta.dirname, '../../..')
/** Versions of Node as npm installs them: the last that is refused, the oldest that is supported, and of each major version. */
const versions = { 22.11: '22.11.0', 22.12: '22.12.0', 22: '22.23.3', 24: '24.21.0', 26: '26.10.0' }

const page = readFileSync(join(repository, 'packages/fastify-contract/docs/getting-started.md'), 'utf8')

/** A block of a language on the page, by default the first. */
function block(language: string, index = 0): string {
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))]
  const [, text] = blocks[index] ?? []
  if (text === undefined) throw new Error(`docs/getting-started.md has no block ${String(index)} of ${language}`)
  return text
}

/** The requests on the page, with their responses: before a handler is written, in development, and after. */
const [before, mocked, after] = [...page.matchAll(/^```console\n([^]*?)^```$/gm)].map(([, text = '']) => text)

const wrongHandler = `import type { Reply } from '../generated/contract.ts'
export const reply: Reply<'greet'> = { status: 204 }
`

const names = ['fastify-contract', 'fastify-contract-cli']
let packed: PackedPackage[]

/** A service that was made as docs/getting-started.md says, with each Node installed. */
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

/** Settings of Git that many developers have: it keeps tarballs out of commits, and changes line ends. */
const gitSettings = `[user]
name = A
email = a@a.example
[core]
autocrlf = true
excludesFile = ${join(repository, '.gitignore')}
`
let gitConfig: string

const npmOptions = { npm_config_prefer_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' }

/** Runs lines of a shell in a folder. @returns what they print */
function sh(cwd: string, lines: string): string {
  const env = { ...process.env, ...npmOptions, GIT_CONFIG_GLOBAL: gitConfig }
  return execFileSync('bash', ['-ec', lines], { cwd, env, encoding: 'utf8', stdio: 'pipe' })
}

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'packed-'))
  project = join(folder, 'project')
  await mkdir(project)
  packed = await packPackages(folder)
  const nodes = Object.entries(versions).map(([major, version]) => `node${major}@npm:node@${version}`)
  const empty = join(folder, 'empty')
  await mkdir(empty)
  gitConfig = join(folder, 'gitconfig')
  await writeFile(gitConfig, gitSettings)
  const commands = (index: number) => block('sh', index).replaceAll('PATH/', `${folder}/`)
  // The tarballs were made in a copy of the repository. Other tests start the service.
  sh(empty, commands(0).replace(/^npm pack .*\n/m, ''))
  await writeFile(join(empty, 'openapi.yaml'), block('yaml'))
  sh(empty, commands(1).replace(/^npm start\n/m, ''))
  project = join(empty, 'greetings')
  sh(project, commands(2))
  // Node comes with a script.
  const manifest = JSON.parse(await readFile(join(project, 'package.json'), 'utf8')) as object
  await writeFile(join(project, 'package.json'), JSON.stringify({ ...manifest, allowScripts: { node: true } }))
  sh(project, `npm install ${nodes.join(' ')}`)
  return () => rm(folder, { recursive: true, force: true })
})

/** Starts the service and sends the requests of the page. */
async function expectResponses(version: keyof typeof versions, shown = '', ...options: string[]): Promise<void> {
  const child = spawn('node', [...options, 'src/server.ts'], {
    cwd: project,
    env: { ...environmentOf(version), PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill())
  const [lines] = (await once(child.stdout, 'data')) as [Buffer]
  const [origin = ''] = /(?<=^Docs +)\S+(?=\/docs$)/m.exec(lines.toString()) ?? []
  for (const request of shown.split(/^\$ /m).slice(1)) {
    const [command = '', output = ''] = request.split('\n')
    const url = command.replace('curl http://127.0.0.1:3000', origin)
    expect(await (await fetch(url)).text(), command).toBe(output)
  }
  expect((await fetch(`${origin}/docs`)).status).toBe(200)
}

test('a generated service responds at once, and with its first handler', async () => {
  await expectResponses(24, before)
  for (const version of [22, 24, 26] as const) {
    await expectResponses(version, mocked, '--import', 'fastify-contract-cli/dev')
  }
  // As `npm test` does; npm would take the Node of another alias.
  const test = () => (run(24, 'tsc'), run(24, 'node', '--test', '--test-reporter=tap'))
  expect(test()).toMatch(/# SKIP not implemented: [^]*^# fail 0\n/m)
  const file = join(project, 'src/handlers.ts')
  const table = await readFile(file, 'utf8')
  await writeFile(file, table.replace(/^ {2}greet: .*\n/m, block('ts')))
  for (const version of [22, 24, 26] as const) await expectResponses(version, after)
  expect(test()).toMatch(/^# pass [1-9]\d*\n# fail 0\n/m)
})

/** What the test reads of a workflow. */
interface Workflow {
  jobs: { test: { steps: { run?: string; with?: { 'node-version'?: 22 | 24 | 26 } }[] } }
}

test('the workflow of a new service passes in a clone without a cache, and tells what is wrong', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'clone-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const clone = join(folder, 'greetings')
  sh(folder, `git clone --quiet ${project} greetings`)
  const text = await readFile(join(clone, '.github/workflows/test.yml'), 'utf8')
  expect(text).toContain(block('yaml', 1))
  // The file has these members.
  const { steps } = (parse(text) as Workflow).jobs.test
  const [version = 'none'] = steps.flatMap((step) => step.with?.['node-version'] ?? [])
  const [install = '', runTests = ''] = steps.flatMap((step) => step.run ?? [])
  const PATH = [join(project, `node_modules/node${String(version)}/bin`), process.env['PATH']].join(':')
  const env = { ...process.env, CI: 'true', PATH, npm_config_cache: join(folder, 'cache') }
  /** Runs lines as GitHub does. */
  const run = (lines: string) => {
    const { status, stdout, stderr } = spawnSync('bash', ['-ec', lines], { cwd: clone, env, encoding: 'utf8' })
    return { status, output: stdout + stderr }
  }
  const edit = async (file: string, from: string | RegExp, to: string) => {
    const path = join(clone, file)
    await writeFile(path, (await readFile(path, 'utf8')).replace(from, to))
  }
  const junit = () => readFile(join(clone, 'junit.xml'), 'utf8')

  expect(run(install)).toMatchObject({ status: 0 })
  expect(run('npm ls --all')).toMatchObject({ status: 0 })
  expect(run(runTests)).toMatchObject({ status: 0 })
  expect(await junit()).toContain('<skipped type="skipped" message="not implemented: GET /greetings/{name}"/>')
  expect(run('node --version; git status --short')).toMatchObject({ output: `v${versions[version as 24]}\n` })

  await edit('openapi.yaml', 'maxLength: 5', 'maxLength: 6')
  const mismatch = expect.stringContaining('does not match openapi.yaml') as string
  expect(run(runTests)).toMatchObject({ status: 1, output: mismatch })
  await edit('openapi.yaml', 'maxLength: 6', 'maxLength: 5')
  await edit('src/handlers.ts', /^ {2}greet: .*\n/m, "  greet: () => { throw new Error('broken') },\n")
  expect(run(runTests)).toMatchObject({ status: 1 })
  expect(await junit()).toMatch(/<testcase name="greet accepts valid requests"[^]*<failure /)
})

test.each([22.12, 22, 24, 26] as const)('the packed packages generate and compare on Node %d', async (version) => {
  expect(run(version, 'node', '--version')).toBe(`v${versions[version]}\n`)
  expect(run(version, 'fastify-contract', 'generate', '--check')).toBe('generated/ matches openapi.yaml\n')
  await writeFile(join(project, 'before.yaml'), block('yaml').replace('maxLength: 5', 'maxLength: 4'))
  expect(run(version, 'fastify-contract', 'breaking', 'before.yaml')).toMatch(/1 compatible/)
})

// npm puts the compiler of the project beside openapi-typescript.
test.each(['5.0.4', '5.8.3'])('generate, types and init work in a project with TypeScript %s', async (typescript) => {
  const cwd = await folderWith({ 'package.json': '{ "type": "module" }', 'openapi.yaml': block('yaml') })
  sh(cwd, `npm install ${packed.map(({ tarball }) => tarball).join(' ')} typescript@${typescript}`)
  const command = (...parameters: string[]) => {
    return execFileSync('npx', ['fastify-contract', ...parameters], { cwd, encoding: 'utf8', stdio: 'pipe' })
  }
  expect(command('generate')).toBe('wrote generated/contract.ts, generated/openapi.ts\n')
  expect(command('types', 'openapi.yaml')).toContain('greet')
  expect(command('init', 'openapi.yaml', 'service')).toContain('service')
  const written = (folder: string) => readFile(join(folder, 'generated/openapi.ts'), 'utf8')
  expect(await written(cwd)).toBe(await written(project))
})

test('the types of the packed packages find a wrong handler', async () => {
  run(24, 'tsc')
  await writeFile(join(project, 'src/wrong.ts'), wrongHandler)
  expect(() => run(24, 'tsc')).toThrow()
})

test('an older Node is refused in one line with exit code 2', () => {
  const command = { cwd: project, env: environmentOf(22.11), encoding: 'utf8' } as const
  expect(spawnSync('fastify-contract', ['generate'], command)).toMatchObject({
    status: 2,
    stdout: '',
    stderr: `fastify-contract needs Node 22.12 or later; this is v${versions[22.11]}\n`,
  })
})

function packageNamed(name: string): PackedPackage {
  const found = packed.find((each) => each.name === name)
  if (found === undefined) throw new Error(`${name} was not packed`)
  return found
}

test.each(names)('publint finds no fault in the packed %s', async (name) => {
  const { buffer } = new Uint8Array(await readFile(packageNamed(name).tarball))
  const { messages, pkg } = await publint({ pack: { tarball: buffer }, strict: true })
  expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([])
})

test.each(names)('each entry point of the packed %s has its types', async (name) => {
  const data = new Uint8Array(await readFile(packageNamed(name).tarball))
  const checked = await checkPackage(createPackageFromTarballData(data))
  const { problems } = checked.types === false ? { problems: ['has no types'] } : checked
  // The packages are ES modules alone, so neither `require` nor the resolution of Node 10 finds types that fit.
  const ofOthers = ['node10', 'node16-cjs']
  const found = problems.filter((problem) => {
    return typeof problem === 'string' || !('resolutionKind' in problem && ofOthers.includes(problem.resolutionKind))
  })
  expect(found).toEqual([])
})

test.each(names)('each link in the pages of the packed %s leads to one of its files', async (name) => {
  const { files, folder } = packageNamed(name)
  const pages = files.filter((file) => file.endsWith('.md'))
  expect(pages).toContain('README.md')
  const dead: string[] = []
  for (const page of pages) {
    const text = await readFile(join(folder, page), 'utf8')
    for (const [, path = ''] of text.matchAll(/\]\((?!\w+:|#)([^)\s#]+)/g)) {
      if (!files.includes(posix.join(posix.dirname(page), path))) dead.push(`${page}: ${path}`)
    }
  }
  expect(dead).toEqual([])
})

test.each(names)('the packed %s exports its package.json', async (name) => {
  const data = new Uint8Array(await readFile(packageNamed(name).tarball))
  const manifest = createPackageFromTarballData(data).readFile(`/node_modules/${name}/package.json`)
  expect(JSON.parse(manifest)).toMatchObject({ exports: { './package.json': './package.json' } })
})

test('packing leaves each package.json as it was', async () => {
  for (const { name, folder } of packed) {
    const own = join(import.meta.dirname, '../..', name, 'package.json')
    expect(await readFile(join(folder, 'package.json'), 'utf8')).toBe(await readFile(own, 'utf8'))
  }
})
