import { execFile } from 'node:child_process'
import { appendFile, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { generateFiles } from '../../packages/fastify-contract/src/gate/generate/generate-files.ts'
import { generate } from '../../packages/fastify-contract/src/gate/generate/generate.ts'
import { type Edit, addGetPlant, copyProject, cut, replace } from './project-copy.ts'

const script = join(import.meta.dirname, '../../scripts/develop/generate.ts')

/** Runs the command in a folder, with what the shell puts before it. */
async function run(root: string, ...args: string[]): Promise<{ code: unknown; stdout: string; stderr: string }> {
  return promisify(execFile)(process.execPath, [script, ...args], { cwd: root }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: unknown) => error as { code: unknown; stdout: string; stderr: string },
  )
}

test('the same contract gives the same bytes, whatever the folder', async () => {
  const [one, other] = await Promise.all([copyProject(), copyProject()])
  await rm(join(other.root, 'generated'), { recursive: true })
  expect((await generate(other.root, 'write')).ok).toBe(true)
  expect(await other.readGenerated()).toEqual(await one.readGenerated())
  expect((await generateFiles(one.root)).files).toEqual((await generateFiles(other.root)).files)
})

test('a check names each stale file and writes nothing', async () => {
  const { root, readGenerated } = await copyProject()
  expect(await generate(root, 'check')).toMatchObject({ ok: true })
  await appendFile(join(root, 'generated/errors.ts'), '\n')
  await rm(join(root, 'generated/client.ts'))
  await writeFile(join(root, 'generated/left-over.ts'), '')
  const before = await readGenerated()
  const { ok, lines } = await generate(root, 'check')
  expect(ok).toBe(false)
  expect(lines).toEqual(
    ['client.ts', 'errors.ts', 'left-over.ts'].map(
      (file) => `generated/${file} does not match openapi.yaml: run npm run generate`,
    ),
  )
  expect(await readGenerated()).toEqual(before)
})

test('a run mends what is stale and removes what does not belong there', async () => {
  const { root, readGenerated } = await copyProject()
  const before = await readGenerated()
  await writeFile(join(root, 'generated/errors.ts'), 'edited by hand')
  await writeFile(join(root, 'generated/left-over.ts'), '')
  expect((await generate(root, 'write')).lines).toEqual(['wrote generated/errors.ts', 'removed generated/left-over.ts'])
  expect(await readGenerated()).toEqual(before)
})

const broken: [title: string, edit: Edit, message: RegExp][] = [
  ['an empty file', () => '', /^openapi\.yaml:1:1: is empty$/],
  ['no OpenAPI at all', () => 'name: plants\n', /^openapi\.yaml:1:1: openapi: must be 3\.1\.x, .* not null$/],
  [
    'another version of OpenAPI',
    replace('openapi: 3.1.0', 'openapi: 3.0.3'),
    /^openapi\.yaml:1:1: openapi: must be 3\.1\.x, the version that this service reads, not "3\.0\.3"$/,
  ],
  ['a file that is cut in half', (text) => text.slice(0, text.length / 2), /^openapi\.yaml:\d+:\d+: /],
  [
    'a mapping that is cut within a quoted text',
    (text) => text.slice(0, text.indexOf("'#/components") + 8),
    /^openapi\.yaml:\d+:\d+: Missing closing 'quote/,
  ],
  ['a tab as indentation', replace('  title:', '\ttitle:'), /^openapi\.yaml:3:1: Tabs are not allowed as indentation/],
  [
    'a name that is given twice',
    replace('  title: Plant Store\n', '  title: Plant Store\n  title: Plants\n'),
    /^openapi\.yaml:4:3: the name title is given twice; remove one$/,
  ],
  [
    'an alias without its anchor',
    (text) => `${text}x-a: *nowhere\n`,
    /^openapi\.yaml:\d+:\d+: the alias \*nowhere leads to nothing/,
  ],
  [
    'a reference to nothing',
    replace("'#/components/schemas/NewPlant'", "'#/components/schemas/Nothing'"),
    /^openapi\.yaml:\d+:\d+: the reference #\/components\/schemas\/Nothing leads to nothing/,
  ],
  [
    'a schema that applies to itself',
    replace(
      '      required: [name]\n      properties:\n',
      "      required: [name]\n      allOf: [{ $ref: '#/components/schemas/Plant' }]\n      properties:\n",
    ),
    /^openapi\.yaml:\d+:\d+: the schema refers to itself for the same value; refer to it from a part/,
  ],
  [
    'a missing operationId',
    replace('      operationId: listPlants\n', ''),
    /^openapi\.yaml:\d+:5: GET \/plants: has no operationId; give it one$/,
  ],
  [
    'a doubled operationId',
    replace('operationId: createPlant', 'operationId: listPlants'),
    /^openapi\.yaml:\d+:7: operationId listPlants: is used more than once/,
  ],
  [
    'an error number without a name',
    replace('            - malformed_body\n', ''),
    /^openapi\.yaml:\d+:11: components\/schemas\/Error\/properties\/error: the number 50300 has no name/,
  ],
]

test.for(broken)('%s is refused in one readable message, and nothing is written', async ([, edit, message]) => {
  const { root, editContract, readGenerated } = await copyProject()
  const before = await readGenerated()
  await editContract(edit)
  const { ok, lines } = await generate(root, 'write')
  expect(ok).toBe(false)
  expect(lines[0]).toMatch(message)
  expect(lines.join('\n')).not.toMatch(/\n\s+at |Error:/)
  expect(await readGenerated()).toEqual(before)
})

test('a file that is cut anywhere is either a contract or refused without a stack', async () => {
  const { root, editContract } = await copyProject()
  const whole = await readFile(join(root, 'openapi.yaml'), 'utf8')
  for (let part = 1; part < 40; part++) {
    await editContract(() => whole.slice(0, Math.floor((whole.length * part) / 40)))
    const { ok, lines } = await generate(root, 'check')
    expect(ok).toBe(false)
    expect(lines.at(-1)).toMatch(/generated\/ is as it was|does not match/)
  }
})

test('an argument that is not known is refused with the usage', async () => {
  const { root } = await copyProject()
  const { code, stderr } = await run(root, '--chek')
  expect(code).toBe(1)
  expect(stderr).toMatch(/^Unknown option '--chek'[^]*Usage: npm run generate/)
  expect(stderr).not.toMatch(/\n\s+at /)
})

test('a run that cannot write all of its files changes none and leaves nothing behind', async () => {
  const { root, editContract, readGenerated } = await copyProject()
  const before = await readGenerated()
  await editContract(replace('maxLength: 255', 'maxLength: 100'))
  // The shell's limit on the size of a file lets the small files through and stops the large ones.
  const limited = promisify(execFile)('bash', ['-c', 'ulimit -f 8; exec "$0" "$@"', process.execPath, script], {
    cwd: root,
  })
  await expect(limited).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^generated\/ cannot be written: .*\n$/) as string,
  })
  expect(await readGenerated()).toEqual(before)
  expect((await readdir(root)).filter((name) => name.startsWith('.generated-'))).toEqual([])
})

test('a scaffold writes a handler for each operation that has none, and touches no other', async () => {
  const { root, editContract } = await copyProject()
  await editContract(addGetPlant)
  const written = await readFile(join(root, 'src/plants/createPlant.ts'), 'utf8')
  expect((await generate(root, 'write')).lines).toContain(
    'operation getPlant has no handler: npm run generate -- --scaffold writes one',
  )
  expect((await generate(root, 'scaffold')).lines).toEqual([
    'generated/ was up to date',
    'wrote src/plants/getPlant.ts',
    'added getPlant to src/handlers.ts',
  ])
  const table = await readFile(join(root, 'src/handlers.ts'), 'utf8')
  expect(table).toContain("import { getPlant } from './plants/getPlant.ts'\n")
  expect(table).toContain('= { createPlant, deletePlant, listPlants, getPlant }\n')
  expect((await generate(root, 'scaffold')).lines).toEqual(['generated/ was up to date'])
  expect(await readFile(join(root, 'src/plants/createPlant.ts'), 'utf8')).toBe(written)
  await rm(join(root, 'src/plants/getPlant.ts'))
  expect((await generate(root, 'scaffold')).lines).toEqual([
    'generated/ was up to date',
    'wrote src/plants/getPlant.ts',
  ])
  expect(await readFile(join(root, 'src/handlers.ts'), 'utf8')).toBe(table)
})

test.each([
  [
    'on several lines',
    '{\n  createPlant,\n  listPlants,\n}',
    '{\n  createPlant,\n  listPlants, getPlant, deletePlant,\n}',
  ],
  ['empty', '{}', '{ listPlants, createPlant, getPlant, deletePlant }'],
])('a scaffold adds to a table that is %s', async (_form, members, expected) => {
  const { root, editContract } = await copyProject()
  await editContract(addGetPlant)
  const table = join(root, 'src/handlers.ts')
  await writeFile(table, `export const handlers = ${members}\n`)
  await generate(root, 'scaffold')
  const text = await readFile(table, 'utf8')
  expect(text).toContain(`export const handlers = ${expected}\n`)
  expect(text).toContain("import { getPlant } from './plants/getPlant.ts'\n")
})

test('a scaffold names the two lines to add to a table that it cannot read', async () => {
  const { root, editContract } = await copyProject()
  await editContract(addGetPlant)
  await writeFile(join(root, 'src/handlers.ts'), 'export const handlers = build()\n')
  const { lines } = await generate(root, 'scaffold')
  expect(lines.slice(1)).toEqual([
    'wrote src/plants/getPlant.ts',
    'src/handlers.ts cannot be read; ' +
      "add `import { getPlant } from './plants/getPlant.ts'`, and `getPlant` to the object `handlers`",
  ])
  expect(await readFile(join(root, 'src/handlers.ts'), 'utf8')).toBe('export const handlers = build()\n')
})

test('a handler whose operation is gone or has moved is named, and stays', async () => {
  const { root, editContract } = await copyProject()
  await editContract(cut('  /plants/{id}:\n', 'x-unmatched-responses'))
  await editContract(replace('tags: [plants]', 'tags: [shelf]'))
  const { lines } = await generate(root, 'write')
  expect(lines.slice(1)).toEqual([
    'src/plants/deletePlant.ts: the contract has no operation deletePlant; ' +
      'remove it from src/handlers.ts, and the file if it is not needed',
    'src/plants/listPlants.ts: the contract wants the handler of listPlants in src/shelf/listPlants.ts',
  ])
  expect(await readdir(join(root, 'src/plants'))).toContain('deletePlant.ts')
})

test('a text with many blanks takes little time', { timeout: 120_000 }, async () => {
  const { root, editContract } = await copyProject()
  const words = '            - There is no such path.'
  await editContract(replace(words, `            - "There${' '.repeat(150_000)}is\\n \\n  none.\\n"`))
  const start = performance.now()
  expect(await generate(root, 'write')).toMatchObject({ ok: true })
  // A search that begins anew at each blank takes a minute where there is no other work.
  expect(performance.now() - start).toBeLessThan(30_000)
  expect(await readFile(join(root, 'generated/errors.ts'), 'utf8')).toContain(`There${' '.repeat(150_000)}is none. */`)
})
