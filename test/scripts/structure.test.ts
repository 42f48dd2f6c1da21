import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** The files of a folder and of those within it, without installed packages, as paths from the project's folder. */
function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (!entry.isDirectory()) return [path]
    return entry.name === 'node_modules' ? [] : filesIn(path)
  })
}

const files = [...filesIn('scripts'), ...filesIn('bench')]

/** What a file imports of the project, as paths from its folder. */
function importsOf(file: string): string[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(root, file), 'utf8'))
  const own = importedFiles.map(({ fileName }) => fileName).filter((name) => name.startsWith('.'))
  return own.map((name) => relative(root, join(root, dirname(file), name)))
}

function importersOf(folder: string, importing: string): string[] {
  const importers = files.filter((file) => file.startsWith(`${importing}/`) && file.endsWith('.ts'))
  return importers.filter((file) => importsOf(file).some((imported) => imported.startsWith(`${folder}/`)))
}

test('no folder of the scripts and of the bench has more than ten files', () => {
  const counts = Map.groupBy(files, dirname)
  expect(counts.size).toBeGreaterThan(10)
  expect([...counts].filter(([, { length }]) => length > 10).map(([folder]) => folder)).toEqual([])
})

test('scripts import nothing of the tests and of the bench, and the bench nothing of the tests', () => {
  expect(importersOf('src', 'bench')).not.toEqual([])
  expect([importersOf('test', 'scripts'), importersOf('bench', 'scripts'), importersOf('test', 'bench')]).toEqual([
    [],
    [],
    [],
  ])
})

test('what operators run needs nothing but src, scripts/command.ts and scripts/operate, which the image has', () => {
  const operated = files.filter((file) => file.startsWith('scripts/operate/') || file === 'scripts/command.ts')
  const foreign = operated
    .flatMap(importsOf)
    .filter((imported) => !/^(?:src\/|scripts\/operate\/|scripts\/command\.ts$)/.test(imported))
  expect(foreign).toEqual([])
})

test('the peers are installed for the bench alone, and have the Fastify of the service', () => {
  const packagesOf = (folder: string) => {
    // The shape of package-lock.json, version 3.
    const lock = JSON.parse(readFileSync(join(root, folder, 'package-lock.json'), 'utf8')) as { packages: object }
    return Object.keys(lock.packages)
  }
  const [service, bench] = [packagesOf('.'), packagesOf('bench')]
  for (const peer of ['express', 'express-openapi-validator', 'fastify-openapi-glue', 'hono', 'bun', 'elysia']) {
    expect(bench).toContain(`node_modules/${peer}`)
    expect(service).not.toContain(`node_modules/${peer}`)
  }
  expect(service).toContain('node_modules/fastify')
  expect(bench.filter((name) => name.endsWith('node_modules/fastify'))).toEqual([])
})
