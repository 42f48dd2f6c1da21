import { expect, test } from 'vitest'
import { type Loss, rebuild } from './rebuild.ts'
import { FileTree, rootId } from './file-tree.ts'
import type { Recorded } from './recording.ts'
import { createRandom } from '../../../test/support/random.ts'

// The proof depends on this model of what a disk keeps.

const nothing: Loss = { names: 'none', bytes: 'none', grain: 4_096, keepsSize: false }
const everything: Loss = { ...nothing, names: 'all', bytes: 'all' }

/** Makes changes. @returns what is left after a power loss */
function left(change: (tree: FileTree) => void, loss: Loss, seed = 1): Record<string, string | undefined> {
  const recording: Recorded[] = []
  change(new FileTree((operation) => void recording.push({ ...operation, instant: recording.length + 1 })))
  const failure = { instant: recording.length, loss }
  const [{ files } = { files: undefined }] = [...rebuild(recording, [failure], createRandom(seed))]
  return Object.fromEntries([...files!].map(([path, bytes]) => [path, bytes?.toString('latin1')]))
}

const inRoot = (name: string) => ({ folder: rootId, name })

/** Makes the file `a` and syncs it. */
function syncedFile(tree: FileTree): number {
  const { id } = tree.make(inRoot('a'), false)
  tree.write(id, 0, Buffer.from('old'))
  tree.sync(id)
  tree.sync(rootId)
  return id
}

test('writes to a file are lost until the file is synced', () => {
  const change = (tree: FileTree) => {
    tree.write(syncedFile(tree), 0, Buffer.from('new!'))
  }
  expect(left(change, nothing)).toEqual({ a: 'old' })
  expect(left(change, everything)).toEqual({ a: 'new!' })
  expect(left(change, { ...nothing, keepsSize: true })).toEqual({ a: 'old\0' })
  const synced = (tree: FileTree) => {
    const id = syncedFile(tree)
    tree.write(id, 0, Buffer.from('new!'))
    tree.sync(id)
  }
  expect(left(synced, nothing)).toEqual({ a: 'new!' })
})

test('the name of a new file is lost until its folder is synced', () => {
  const change = (tree: FileTree) => {
    const { id } = tree.make(inRoot('a'), false)
    tree.sync(id)
  }
  expect(left(change, nothing)).toEqual({})
})

test('the content of a folder is lost with its name', () => {
  const change = (tree: FileTree) => {
    const { id } = tree.make(inRoot('made'), true)
    const inner = tree.make({ folder: id, name: 'a' }, false)
    tree.sync(inner.id)
    tree.sync(id)
  }
  expect(left(change, nothing)).toEqual({})
})

test('either of two name changes may be kept alone', () => {
  const change = (tree: FileTree) => {
    syncedFile(tree)
    tree.make(inRoot('b'), false)
    tree.sync(rootId)
    tree.remove(inRoot('a'))
    tree.move(inRoot('b'), inRoot('c'))
  }
  const states = Array.from({ length: 50 }, (_, seed) =>
    Object.keys(left(change, { ...nothing, names: 'some' }, seed))
      .sort()
      .join(),
  )
  expect([...new Set(states)].sort()).toEqual(['a,b', 'a,c', 'b', 'c'])
})

test('a page may be torn only between sectors', () => {
  const change = (tree: FileTree) => {
    const id = syncedFile(tree)
    tree.resize(id, 4_096)
    tree.sync(id)
    tree.write(id, 0, Buffer.alloc(4_096, 'x'))
  }
  const sectors = (grain: Loss['grain'], seed: number) =>
    left(change, { ...nothing, bytes: 'some', grain }, seed)
      ['a']!.match(/[^]{512}/g)!
      .map((sector) => /^x+$/.test(sector))
  const seeds = Array.from({ length: 20 }, (_, seed) => seed)
  expect(seeds.map((seed) => new Set(sectors(512, seed)).size)).toContain(2)
  for (const seed of seeds) expect(new Set(sectors(4_096, seed)).size).toBe(1)
})
