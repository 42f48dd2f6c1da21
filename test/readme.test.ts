import { existsSync, globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../src/config/config.ts'
import { anchorsIn, pages, textOf } from './support/pages.ts'
import { projectFolder } from './support/server/start-process.ts'

const readme = textOf('README.md')
// The project's own file.
const manifest = JSON.parse(textOf('package.json')) as Record<
  'scripts' | 'dependencies' | 'devDependencies',
  Record<string, string>
>

/** The links of a page that do not lead to another site. */
function linksOf(file: string): string[] {
  return [...textOf(file).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^\w+:/.test(target))
}

/** The part of a page below a heading. */
function sectionOf(text: string, heading: string): string {
  const [, section] = new RegExp(`^## ${heading}\n([^]*?)(?=^## |$(?![^]))`, 'm').exec(text) ?? []
  if (section === undefined) throw new Error(`there is no section ${heading}`)
  return section
}

/** The first cells of the rows of all tables in a text. */
function firstCells(text: string): string[] {
  return [...text.matchAll(/^\| ([^|]+) \|/gm)].map(([, cell = '']) => cell)
}

describe('the documentation', () => {
  test('begins with a README of at most 200 lines', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(201)
  })

  test.each(pages)('has links in %s that lead to a file and a heading', (page) => {
    const dead = linksOf(page).filter((link) => {
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? page : join(dirname(page), path)
      return (
        !existsSync(join(projectFolder, target)) ||
        (anchor !== undefined && !anchorsIn(textOf(target)).includes(anchor))
      )
    })
    expect(dead).toEqual([])
  })

  test('can be reached from the README, every page of it', () => {
    const linked = linksOf('README.md').map((link) => link.replace(/#.*/, ''))
    const fromReadme = [
      ...linked,
      ...linked
        .filter((page) => page.endsWith('.md'))
        .flatMap((page) => linksOf(page).map((link) => join(dirname(page), link.replace(/#.*/, '')))),
    ]
    expect(pages.filter((page) => page !== 'README.md' && !fromReadme.includes(page))).toEqual([])
  })

  test.each(pages)('names in %s no npm script that is not there', (page) => {
    const named = [...textOf(page).matchAll(/npm run (?:-s |--silent )*([a-z][\w:-]*)/g)].map(([, name = '']) => name)
    expect(named.filter((name) => !Object.hasOwn(manifest.scripts, name))).toEqual([])
  })
})

test('docs/architecture.md names no file that is not there', () => {
  const files = globSync(['{src,generated,scripts,test}/**/*.ts'], { cwd: projectFolder }).map((file) => `/${file}`)
  const named = [...textOf('docs/architecture.md').matchAll(/[\w./-]+\.ts\b/g)].map(([name]) => name)
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter((name) => !files.some((file) => file.endsWith(`/${name}`)))).toEqual([])
})

describe('the README', () => {
  test('says of every dependency what it is for', () => {
    const explained = firstCells(sectionOf(readme, 'Dependencies')).flatMap((cell) => cell.split(/[,;] /))
    const isExplained = (name: string) =>
      explained.some((each) => each === name || (each.endsWith('/…') && name.startsWith(each.slice(0, -1))))
    const installed = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.devDependencies)]
    expect(installed.filter((name) => !isExplained(name))).toEqual([])
  })

  test('names no variable that the server does not read', () => {
    const cells = firstCells(sectionOf(readme, 'Configuration'))
    const names = cells.flatMap((cell) => [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) => name))
    expect(names.length).toBeGreaterThan(15)
    const refused = messageOf(() => loadConfig(Object.fromEntries(names.map((name) => [name, 'a b']))))
    expect(names.filter((name) => !refused.includes(`${name} must`))).toEqual([])
  })
})

function messageOf(action: () => void): string {
  try {
    action()
  } catch (error) {
    return String(error)
  }
  return ''
}
