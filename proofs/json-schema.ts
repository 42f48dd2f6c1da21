import { execFile, execFileSync } from 'node:child_process'
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { type Contract, serve } from 'fastify-contract'
import { printable } from 'fastify-contract/json'
import { readArguments } from '../scripts/command.ts'
import { Missing } from '../test/support/run-named.ts'
import { projectFolder } from '../test/support/server/start-process.ts'

const repository = 'https://github.com/json-schema-org/JSON-Schema-Test-Suite.git'

const usage = `Usage: npm run proofs -- json-schema [FOLDER] [--only TEXT]
         serves each schema of JSON Schema's own test suite, for the dialect of OpenAPI 3.1, and sends it the values of its
         tests over HTTP; the exit code is 1 when fewer than 90 % of the tests hold, or one is judged wrongly without a
         warning of generate

  FOLDER       a clone of the suite (default: a new one, made by git)
  --only TEXT  only files with this text in their names`

const least = 0.9

type Json = null | string | boolean | object
interface Group {
  file: string
  description: string
  schema: Json
  tests: { description: string; data: Json; valid: boolean }[]
}

/** Judges the tests of the suite. */
export async function run(args: string[]): Promise<void> {
  const text = { type: 'string' } as const
  const { values, positionals } = readArguments(usage, { args, allowPositionals: true, options: { only: text } })
  await using cleanup = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'json-schema-'))
  cleanup.defer(() => rm(folder, { recursive: true, force: true }))
  const groups = await groupsIn(positionals[0] ?? clone(folder), values.only ?? '')
  const tally = { held: 0, refused: 0, warned: 0, wrong: 0 }
  const reasons = new Map<string, number>()
  // Identifiers are those of a whole document.
  const isAlone = ({ schema }: Group) => /"\$(?:id|anchor|dynamicAnchor|dynamicRef)"/.test(JSON.stringify(schema))
  const together = Map.groupBy(groups, (group) => (isAlone(group) ? group : group.file))
  for (const some of together.values()) await judge(some)

  async function judge(some: Group[]): Promise<void> {
    const { contract, lines } = await generate(folder, some)
    if (contract === undefined && some.length > 1) {
      const middle = Math.ceil(some.length / 2)
      await judge(some.slice(0, middle))
      await judge(some.slice(middle))
      return
    }
    const [first] = some
    if (contract === undefined && first !== undefined) {
      tally.refused += first.tests.length
      const reason = lines[0]?.replace(/^\S+ /, '').slice(0, 90) ?? ''
      reasons.set(reason, (reasons.get(reason) ?? 0) + first.tests.length)
      return
    }
    if (contract === undefined) return
    for (const [index, failed] of (await failuresOf(contract, some)).entries()) {
      const group = some[index]!
      tally.held += group.tests.length - failed.length
      // The warnings of one schema.
      const alone = failed.length > 0 && some.length > 1 ? await generate(folder, [group]) : { lines }
      const [warning] = alone.lines.filter((line) => line.includes(': warning: '))
      tally[warning === undefined ? 'wrong' : 'warned'] += failed.length
      for (const problem of failed) {
        console.log(
          printable(`! ${group.file}: ${group.description}: ${problem}${warning === undefined ? '' : `; ${warning}`}`),
        )
      }
    }
  }

  const total = groups.flatMap(({ tests }) => tests).length
  const share = (count: number) => `${String(count)} (${((100 * count) / total).toFixed(1)} %)`
  console.log(`${String(total)} tests of ${String(groups.length)} schemas
hold                     ${share(tally.held)}
of a refused schema      ${share(tally.refused)}
wrong, with a warning    ${share(tally.warned)}
wrong, without a warning ${share(tally.wrong)}`)
  for (const [reason, count] of [...reasons].sort(([, some], [, others]) => others - some)) {
    console.log(printable(`${String(count).padStart(5)}  ${reason}`))
  }
  if (tally.held < least * total || tally.wrong > 0) process.exitCode = 1
}

/** @throws Missing without git, or without the repository */
function clone(folder: string): string {
  try {
    execFileSync('git', ['clone', '--quiet', '--depth', '1', repository, 'suite'], { cwd: folder, stdio: 'pipe' })
  } catch {
    throw new Missing(`${repository} cannot be cloned: clone it elsewhere, and give its folder`)
  }
  return join(folder, 'suite')
}

/** The groups of required tests. Numbers keep their text: 1.0 is not written as 1. */
async function groupsIn(suite: string, only: string): Promise<Group[]> {
  const tests = join(suite, 'tests/draft2020-12')
  const files = (await readdir(tests)).filter((name) => name.endsWith('.json') && name.includes(only))
  const groups = files.toSorted().map(async (file) => {
    const text = await readFile(join(tests, file), 'utf8')
    const keepText = (...[, value, context]: [key: string, value: unknown, context?: { source?: string }]) =>
      typeof value === 'number' ? JSON.rawJSON(context?.source ?? '') : value
    const parsed = JSON.parse(text, keepText) as Omit<Group, 'file'>[]
    return parsed.map((group): Group => ({
      ...group,
      file,
      tests: group.tests.filter((test) => !isOfAnnotation(test)),
    }))
  })
  return (await Promise.all(groups)).flat()
}

/** By default, `format` asserts nothing; a server may be asked to assert it (JSON Schema, validation, section 7.2.1). */
function isOfAnnotation({ description }: { description: string }): boolean {
  return /^invalid .* is only an annotation by default$/.test(description)
}

const dialect = 'https://json-schema.org/draft/2020-12/schema'

const data = ['const', 'enum', 'default', 'examples']
const maps = ['properties', 'patternProperties', '$defs', 'dependentSchemas']

/** A schema as a component: a reference to its root leads there. */
function asComponent(schema: Json, name: string): unknown {
  const moved = (node: unknown, isMap: boolean, isWithinId = false): unknown => {
    if (typeof node !== 'object' || node === null || 'rawJSON' in node) return node
    // Below an identifier, a reference leads from there.
    const isIdentified = isWithinId || (!isMap && '$id' in node)
    if (Array.isArray(node)) return node.map((each) => moved(each, false, isIdentified))
    const members = Object.entries(node).map(([key, member]: [string, unknown]): [string, unknown] => {
      if (isMap) return [key, moved(member, false, isIdentified)]
      if (data.includes(key)) return [key, member]
      const isOfRoot =
        /^\$(?:dynamicR|r)ef$/.test(key) && !isIdentified && typeof member === 'string' && /^#(?:\/|$)/.test(member)
      return [
        key,
        isOfRoot ? `#/components/schemas/${name}${member.slice(1)}` : moved(member, maps.includes(key), isIdentified),
      ]
    })
    return Object.fromEntries(members.filter(([key, member]) => isMap || key !== '$schema' || member !== dialect))
  }
  return moved(schema, false)
}

/** Makes a contract of some schemas, with a path for each, by the command. */
async function generate(folder: string, groups: Group[]): Promise<{ contract?: Contract; lines: string[] }> {
  const own = await mkdtemp(join(folder, 'contract-'))
  const schemas = groups.map(({ schema }, index) => [`S${String(index)}`, asComponent(schema, `S${String(index)}`)])
  const paths = groups.map((_group, index) => {
    const schema = { $ref: `#/components/schemas/S${String(index)}` }
    const requestBody = { required: true, content: { 'application/json': { schema } } }
    const post = {
      operationId: `s${String(index)}`,
      security: [],
      requestBody,
      responses: { 204: { description: 'Valid.' } },
    }
    return [`/${String(index)}`, { post }]
  })
  const document = {
    openapi: '3.1.0',
    info: { title: 'Schemas', version: '1' },
    paths: Object.fromEntries(paths) as object,
    components: { schemas: Object.fromEntries(schemas) as object },
  }
  await writeFile(join(own, 'openapi.json'), JSON.stringify(document))
  await writeFile(join(own, 'package.json'), '{"type":"module"}')
  const cli = join(projectFolder, 'node_modules/.bin/fastify-contract')
  const options = { cwd: own, maxBuffer: 2 ** 26 }
  const { output, failed } = await promisify(execFile)(cli, ['generate', '--contract', 'openapi.json'], options).then(
    ({ stdout }) => ({ output: stdout, failed: false }),
    // It has these members.
    (error: unknown) => ({ output: (error as { stderr: string }).stderr, failed: true }),
  )
  const lines = output.trimEnd().split('\n')
  if (failed) return { lines: lines.filter((line) => !line.includes(': warning: ')) }
  const { contract } = (await import(pathToFileURL(join(own, 'generated/contract.ts')).href)) as { contract: Contract }
  return { contract, lines }
}

/** Sends the values of all tests to a server. @returns for each group, what was judged wrongly */
async function failuresOf(contract: Contract, groups: Group[]): Promise<string[][]> {
  const handlers = Object.fromEntries(groups.map((_group, index) => [`s${String(index)}`, () => ({ status: 204 })]))
  const app = await serve(contract, { handlers, auth: {}, docs: false, logger: false })
  try {
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    const failed: string[][] = []
    for (const [index, { tests }] of groups.entries()) {
      const wrong: string[] = []
      for (const test of tests) {
        const headers = { 'content-type': 'application/json' }
        const body = JSON.stringify(test.data)
        const response = await fetch(`${origin}/${String(index)}`, { method: 'POST', headers, body })
        const answer = await response.text()
        if (response.status === (test.valid ? 204 : 400)) continue
        wrong.push(`${test.description}: received ${String(response.status)} ${answer.slice(0, 200)}`)
      }
      failed.push(wrong)
    }
    return failed
  } finally {
    await app.close()
  }
}
