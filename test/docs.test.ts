import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { BadConfig, loadConfig } from '../src/config/config.ts'
import { readPlants } from './support/plants.ts'
import { servedDatabase } from './support/server/served-database.ts'
import { projectFolder, runScript } from './support/server/start-process.ts'

/** All pages but the changelogs, which name removed things. */
const pages = globSync(['*.md', 'docs/**/*.md', 'packages/*/{,docs/}*.md', 'examples/*/*.md'], {
  cwd: projectFolder,
  exclude: ['**/CHANGELOG.md'],
}).sort()

function textOf(file: string): string {
  return readFileSync(join(projectFolder, file), 'utf8')
}

const readme = textOf('README.md')

/** The anchors that GitHub gives to the headings of a page. Code blocks have no headings. */
function anchorsIn(text: string): string[] {
  const headings = text.replaceAll(/^ *```[^]*?^ *```$/gm, '').matchAll(/^#+ (.+)$/gm)
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test.each(pages)('each link of %s leads to a file and a heading', (page) => {
  const links = [...textOf(page).matchAll(/\]\((?!\w+:)([^)\s#]*)#?([^)\s]*)\)/g)]
  const dead = links.filter(([, path = '', anchor = '']) => {
    const target = path === '' ? page : join(dirname(page), path)
    if (!existsSync(join(projectFolder, target))) return true
    return anchor !== '' && !anchorsIn(textOf(target)).includes(anchor)
  })
  expect(dead.map(([link]) => link)).toEqual([])
})

test.each(pages)('every npm script that %s names exists', (page) => {
  // The project's own file.
  const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> }
  const named = [...textOf(page).matchAll(/npm run (?:-s |--silent )*([a-z][\w:-]*)/g)].map(([, name = '']) => name)
  expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([])
})

/** What a command prints. What the server sets in a plant, such as a time, is not compared. */
function shownIn(output = ''): unknown {
  return /^[[{]/.test(output) ? readPlants(output) : output.trim()
}

test('the first requests of the README give its responses', async () => {
  const [, block = ''] = /^## A first request\n[^]*?```console\n([^]*?)```$/m.exec(readme) ?? []
  const { token, serve } = await servedDatabase()
  const { origin } = await serve()
  const requests = block.split(/^\$ /m).slice(1)
  expect(requests).toHaveLength(4)
  for (const request of requests) {
    const [, command = '', output] = /^((?:.*\\\n)*.*\n)([^]*)$/.exec(request) ?? []
    const local = command.replace('http://127.0.0.1:3000', origin).replace('curl', 'curl --silent --show-error')
    const run = await promisify(execFile)('bash', ['-c', local], { env: { ...process.env, TOKEN: token } })
    expect({ command, output: shownIn(run.stdout) }).toEqual({ command, output: shownIn(output) })
  }
})

test('a bad variable gives the error of the README', async () => {
  const [, command = '', refusal] = /^\$ (.*) npm start --silent\n(plant-store: PORT .*\n)/m.exec(readme) ?? []
  const environment = Object.fromEntries(command.split(' ').map((each) => each.split('=') as [string, string]))
  expect((await runScript('src/main.ts', [], environment)).stderr).toBe(refusal)
})

test('the server reads every variable of the README', () => {
  const [, table = ''] = /^## Configuration\n([^]*?)^## /m.exec(readme) ?? []
  const cells = [...table.matchAll(/^\| (`[^|]+) \|/gm)].map(([, cell = '']) => cell)
  const names = cells.flatMap((cell) => cell.match(/[A-Z_]+/g) ?? [])
  expect(names.length).toBeGreaterThan(15)
  const refusedOf = (name: string) => () => loadConfig({ [name]: 'a b' })
  for (const name of names) expect(refusedOf(name), name).toThrow(BadConfig)
})

/** Whether a file has a test of this name, alone or after the name of its `describe`. */
function hasTest(file: string, name: string): boolean {
  if (!existsSync(join(projectFolder, file))) return false
  const text = textOf(file)
  const isQuoted = (part: string) => ["'", '"', '`'].some((quote) => text.includes(quote + part + quote))
  const splits = [...name.matchAll(/ /g)].map(({ index }) => [name.slice(0, index), name.slice(index + 1)])
  return isQuoted(name) || splits.some((parts) => parts.every(isQuoted))
}

test.each([
  ['docs/threats.md', 30],
  ['CONTRIBUTING.md', 10],
])('every test that %s names exists', (page, least) => {
  const links = [...textOf(page).matchAll(/\[([^\]]+)\]\(((?:\.\.\/)?(?:test|packages|bench|proofs)\/[^)]+)\)/g)]
  expect(links.length).toBeGreaterThan(least)
  const missing = links.filter(([, name = '', file = '']) => !hasTest(join(dirname(page), file), name))
  expect(missing.map(([link]) => link)).toEqual([])
})
