import { globSync } from 'node:fs'
import { appendFile, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { notImplemented, serve } from 'fastify-contract'
import { stringifyJson } from 'fastify-contract/json'
import { describe, expect, onTestFinished, test } from 'vitest'
import { contractOf, folderWith, generateIn, generatedContract, noContent, withSchema } from './contracts.ts'
import { runHere, runPiped } from './run-here.ts'

async function filesIn(root: string, folder = 'generated'): Promise<Record<string, string>> {
  const names = await readdir(join(root, folder))
  const texts = names.map(async (name) => [name, await readFile(join(root, folder, name), 'utf8')] as const)
  return Object.fromEntries(await Promise.all(texts))
}

const operation = (operationId: string, more: object = {}) => ({
  get: { operationId, tags: ['Small things'], responses: noContent, ...more },
})
const contract = contractOf({ '/things': operation('listThings'), '/parts': operation('listParts') })
const bigger = contractOf({ ...contract.paths, '/others': operation('other.things', { security: [] }) })
const project = { 'openapi.yaml': contract }

describe('fastify-contract generate', () => {
  test('writes the same bytes from the same contract in any folder', async () => {
    const [one, other] = [await folderWith(project), await folderWith({ 'api/things.yaml': contract })]
    expect(await generateIn(one)).toEqual({ ok: true, lines: ['wrote generated/contract.ts, generated/openapi.ts'] })
    const elsewhere = ['--contract', 'api/things.yaml', '--out', join(other, 'api/made')]
    expect((await runHere(other, ['generate', ...elsewhere])).stdout).toMatch(/^wrote \/.*\/api\/made\/contract\.ts, /)
    const [first, second] = [await filesIn(one), await filesIn(other, 'api/made')]
    expect(second['openapi.ts']).toBe(first['openapi.ts']?.replace('openapi.yaml', 'things.yaml'))
    expect(first['openapi.ts']).not.toMatch(/\bfrom '/)
    // Its types are erased, so the server loads no other file.
    expect(first['contract.ts']?.match(/^import .*$/gm)).toEqual([
      "import type * as library from 'fastify-contract'",
      "import type { components, operations, schemes, security } from './openapi.ts'",
    ])
    expect(second['contract.ts']).toContain('"../things.yaml"')
    await generateIn(one)
    expect(await filesIn(one)).toEqual(first)
  })

  test('writes the values that x-enum-varnames names', async () => {
    const colours = { type: 'string', enum: ['r', 'g'], 'x-enum-varnames': ['red', 'dark green'] }
    const sizes = { type: 'integer', format: 'int64', enum: [1, 9007199254740993n], 'x-enum-varnames': ['one', 'huge'] }
    const Thing = { type: 'object', properties: { size: sizes, plain: { enum: [1] } } }
    const root = await folderWith({ 'openapi.yaml': withSchema({}, { Colour: colours, Thing }) })
    await generateIn(root)
    const { named } = (await import(join(root, 'generated/contract.ts'))) as { named: unknown }
    expect(named).toEqual({
      Colour: { red: 'r', 'dark green': 'g' },
      Thing: { size: { one: 1n, huge: 9007199254740993n } },
    })
  })

  test.each(['.', 'src'])('removes no files of a folder that it has not generated: %s', async (out) => {
    const root = await folderWith({ ...project, 'src/contract.ts': 'export {}', 'src/app.ts': 'export {}' })
    const before = await readdir(root, { recursive: true })
    expect(await runHere(root, ['generate', '--out', out])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /has files that are not generated, such as [\w.]+, which would be removed; choose/,
      ) as string,
    })
    expect(await readdir(root, { recursive: true })).toEqual(before)
    expect(await readFile(join(root, 'src/contract.ts'), 'utf8')).toBe('export {}')
  })

  test('with --check names each stale file and writes nothing', async () => {
    const root = await folderWith(project)
    await generateIn(root)
    expect(await generateIn(root, { check: true })).toEqual({ ok: true, lines: ['generated/ matches openapi.yaml'] })
    await appendFile(join(root, 'generated/contract.ts'), '\n')
    await rm(join(root, 'generated/openapi.ts'))
    await writeFile(join(root, 'generated/left-over.ts'), '')
    const before = await filesIn(root)
    const stale = ['contract.ts', 'left-over.ts', 'openapi.ts']
    expect(await runHere(root, ['generate', '--check'])).toMatchObject({
      code: 1,
      stderr: stale
        .map((file) => `generated/${file}: does not match openapi.yaml; run npx fastify-contract generate\n`)
        .join(''),
    })
    expect(await filesIn(root)).toEqual(before)
    expect(await generateIn(root)).toEqual({
      ok: true,
      lines: ['wrote generated/contract.ts, generated/openapi.ts', 'removed generated/left-over.ts'],
    })
    expect((await generateIn(root)).lines).toEqual(['generated/ was up to date'])
  })

  test('with --check prints the command that updates another file and folder', async () => {
    const root = await folderWith({ 'the shop.yaml': project['openapi.yaml'] })
    const options = ['--contract', 'the shop.yaml', '--out', 'src/made']
    const { stderr } = await runHere(root, ['generate', ...options, '--check'])
    const remedy = "generate --contract 'the shop.yaml' --out src/made"
    expect(stderr).toContain(`src/made/contract.ts: does not match the shop.yaml; run npx fastify-contract ${remedy}\n`)
  })

  test.each([
    ['{}', ['api/package.json: the generated files are ES modules; add "type": "module"']],
    ['{ "type": "commonjs" }', ['api/package.json: the generated files are ES modules; add "type": "module"']],
    ['{ "type": "module" }', []],
  ])('in the package %s says %j', async (manifest, said) => {
    const root = await folderWith({ 'api/openapi.yaml': contract, 'api/package.json': manifest, 'package.json': '{}' })
    const options = ['--contract', 'api/openapi.yaml', '--out', 'api/generated']
    const lines = async (...more: string[]) => {
      const { stdout } = await runHere(root, ['generate', ...options, ...more])
      return stdout.split('\n').slice(0, -2)
    }
    expect(await lines()).toEqual(said)
    expect(await lines('--check', '--strict')).toEqual(said)
  })

  test('refuses a contract in one readable message, and changes nothing', async () => {
    const root = await folderWith(project)
    await generateIn(root)
    const before = await filesIn(root)
    await writeFile(join(root, 'openapi.yaml'), "swagger: '2.0'\n")
    expect(await runHere(root, ['generate'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^openapi\.yaml:1:1: swagger: "2\.0" is not supported; convert it: .*\ngenerated\/ is unchanged\n$/,
      ) as string,
    })
    expect(await filesIn(root)).toEqual(before)
  })

  test.each([
    ['generate', ['generate']],
    ['init', ['init', 'openapi.yaml', 'service']],
    ['mock', ['mock', 'openapi.yaml']],
    ['test', ['test', 'openapi.yaml', '--url', 'http://127.0.0.1:9']],
  ])('%s warns of what a refusal follows from', async (_command, args) => {
    const root = await folderWith({ 'openapi.yaml': contractOf({ '/things ': operation('listThings') }) })
    const [warning, problem] = (await runHere(root, args)).stderr.split('\n')
    expect(warning).toMatch(/^openapi\.yaml:13:3: warning: the path \/things  has a space, so its operations are not/)
    expect(problem).toMatch(/^openapi\.yaml:12:2: paths: no operation can be served; add one$/)
  })

  test('reports an internal error with exit code 2', async () => {
    const root = await folderWith({ 'openapi.yaml': withSchema({ type: 'string' }) })
    const broken = 'export NODE_OPTIONS="--import=data:text/javascript,delete%20Map.groupBy";'
    const { code, stdout, stderr } = await runPiped(root, ['generate'], { before: broken })
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^this is a fault of fastify-contract, not of the contract; .* TypeError: /)
    expect(stderr).not.toContain('openapi.yaml:')
  })

  test('refuses a file that is truncated anywhere without a stack', async () => {
    const root = await folderWith()
    const whole = stringifyJson(contract, 1).replaceAll(/[{}",]/g, ' ')
    for (let part = 1; part < 40; part += 3) {
      await writeFile(join(root, 'openapi.yaml'), whole.slice(0, Math.floor((whole.length * part) / 40)))
      const { ok, lines } = await generateIn(root, { check: true })
      expect(ok).toBe(false)
      expect(lines.at(-1)).toMatch(/generated\/ is unchanged/)
    }
  })

  test('changes no file if it cannot write all of them', async () => {
    const root = await folderWith(project)
    await generateIn(root)
    const before = await filesIn(root)
    await writeFile(join(root, 'openapi.yaml'), stringifyJson(bigger, 2))
    // The limit on the size of a file lets the small files through and stops the large ones.
    expect(await runPiped(root, ['generate'], { before: 'ulimit -f 2;' })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^generated\/: cannot be written \(.*\)\n$/) as string,
    })
    expect(await filesIn(root)).toEqual(before)
    expect((await readdir(root)).filter((name) => name.startsWith('.'))).toEqual([])
  })
})

test('a server shows the file of its author, and its JSON where the file is absent', async () => {
  const yaml = `# A comment.\n${stringifyJson(contract, 1)}`
  const root = await folderWith({ 'openapi.yaml': yaml })
  await generateIn(root)
  const handlers = { listThings: notImplemented, listParts: notImplemented }
  const show = async () => {
    const app = await serve(await generatedContract(root), { handlers, auth: { bearer: () => undefined } })
    onTestFinished(() => app.close())
    return (await app.inject('/openapi.yaml')).payload
  }
  expect(await show()).toBe(yaml)
  await rm(join(root, 'openapi.yaml'))
  expect(JSON.parse(await show())).toEqual(contract)
})

const examples = join(import.meta.dirname, '../../../examples')

test.each(globSync('*/openapi.yaml', { cwd: examples }).map(dirname))(
  'the generated files of examples/%s match its contract',
  async (example) => {
    expect(await generateIn(join(examples, example), { check: true })).toMatchObject({ ok: true })
  },
)

test('generated files have each text of a contract once, also one that is read as OpenAPI 3.1', async () => {
  const described = { description: 'Some text.', type: 'string', nullable: true }
  const old = withSchema({ type: 'object', properties: { a: described } })
  const root = await folderWith({ 'openapi.yaml': { ...old, openapi: '3.0.3' } })
  await generateIn(root)
  expect((await filesIn(root))['contract.ts']?.match(/Some text\./g)).toEqual(['Some text.'])
})

test('a schema with $defs has no member of that name in the types, and may define true and false', async () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } }, $defs: { Any: true, None: false, B: {} } }
  const root = await folderWith({ 'openapi.yaml': withSchema(schema) })
  expect(await generateIn(root)).toMatchObject({ ok: true })
  expect((await filesIn(root))['openapi.ts']).not.toContain('$defs:')
})

test.each([
  [['generate', '--chek'], "Unknown option '--chek'; see fastify-contract generate --help\n"],
  [['generate', '--scaffold'], "Unknown option '--scaffold'; see fastify-contract generate --help\n"],
  [['generate', 'a'], /^Unexpected argument 'a'\..* see fastify-contract generate --help\n$/],
  [['breaking', 'a', 'b'], 'give one contract to compare with, not a, b\n'],
  [[], /^Usage: fastify-contract init \| generate \| types \| mock \| test \| breaking .*\n$/],
  [['init', 'openapi.yaml'], 'give a FILE and a FOLDER\n'],
  [['types'], 'give one FILE; see fastify-contract types --help\n'],
])('invalid arguments give one line and exit code 2: %j', async (args, line) => {
  const root = await folderWith()
  await mkdir(join(root, 'generated'))
  const { code, stdout, stderr } = await runHere(root, args)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(line)
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  expect(await filesIn(root)).toEqual({})
})

test.each([
  ['generate', '--contract'],
  ['breaking', '--contract'],
  ['types', '--out'],
])('%s --help names its options', async (command, option) => {
  const { code, stdout } = await runHere(await folderWith(), [command, '--help'])
  expect(code).toBe(0)
  expect(stdout).toMatch(new RegExp(`^Usage: fastify-contract ${command} [^]*${option} FILE`))
})
