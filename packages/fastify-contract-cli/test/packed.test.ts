import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { beforeAll, expect, test } from 'vitest'
import { type PackedPackage, packPackages } from './pack.ts'

const names = ['fastify-contract', 'fastify-contract-cli']
let packed: PackedPackage[]

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'packed-'))
  packed = await packPackages(folder)
  return () => rm(folder, { recursive: true })
}, 180_000)

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
