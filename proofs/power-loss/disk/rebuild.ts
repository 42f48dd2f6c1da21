import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Random } from '../../../test/support/random.ts'
import { GrowingBytes, rootId } from './file-tree.ts'
import type { NameChange, Operation, Recorded } from './recording.ts'

/**
 * What a power failure leaves of that which was not synced. The sync of a file makes its bytes durable, and the sync of
 * a folder makes the names in it durable. Nothing else does: fsync(2) promises no more.
 */
export interface Loss {
  /** `some` draws for each change of a name. */
  names: Kept
  /** `some` draws for each piece of `grain` bytes: for pages, or for sectors, so that pages are torn. */
  bytes: Kept
  grain: 4_096 | 512
  /** Whether a file has its new size even where its new bytes are lost; they are zeros then. */
  keepsSize: boolean
}

type Kept = 'none' | 'some' | 'all'

/** A moment of a recording, and what a power failure leaves then. */
export interface Failure {
  instant: number
  loss: Loss
}

const none: Loss = { names: 'none', bytes: 'none', grain: 4_096, keepsSize: false }
const some: Loss = { ...none, names: 'some', bytes: 'some' }

/** What a loss of power may leave of that which was not synced, from nothing to everything. */
const losses: Loss[] = [
  none,
  { ...none, names: 'all' },
  { ...none, bytes: 'all' },
  { ...none, names: 'all', bytes: 'all' },
  some,
  { ...some, grain: 512 },
  { ...some, names: 'all', grain: 512 },
  { ...none, names: 'all', keepsSize: true },
  { ...some, grain: 512, keepsSize: true },
]

/** After any operation, after the change of a name, before a sync, where most can be lost, and after one. */
export function drawFailures(recording: Recorded[], first: number, count: number, random: Random): Failure[] {
  const own = recording.filter(({ instant }) => instant >= first)
  const renames = own.filter(({ kind }) => kind === 'names')
  const syncs = own.filter(({ kind }) => kind === 'sync')
  const beforeSyncs = own.filter((_, index) => own[index + 1]?.kind === 'sync')
  const kinds = [own, renames, beforeSyncs, syncs].filter(({ length }) => length > 0)
  return Array.from({ length: count }, (_, index) => ({
    instant: random.one(kinds[index % kinds.length]!).instant,
    loss: random.one(losses),
  })).sort((one, other) => one.instant - other.instant)
}

/** The files of a disk by their paths; a folder has no bytes. */
export type Files = Map<string, Buffer | undefined>

/**
 * Rebuilds what a disk has after power failures.
 *
 * @param failures in the order of their instants
 * @param dropsFolderSyncs a control: the syncs of folders count for nothing
 * @returns the files after each failure; they are valid until the next is asked for
 */
export function* rebuild(
  recording: Recorded[],
  failures: Failure[],
  random: Random,
  dropsFolderSyncs = false,
): Generator<Failure & { files: Files }> {
  const disk = new Disk(dropsFolderSyncs)
  let next = 0
  for (const failure of failures) {
    for (; next < recording.length && recording[next]!.instant <= failure.instant; next++)
      disk.carryOut(recording[next]!)
    yield { ...failure, files: disk.filesAfter(failure.loss, random) }
  }
}

/** Writes files into a folder. */
export function writeFiles(files: Files, folder: string): void {
  for (const [path, bytes] of files) {
    const place = join(folder, path)
    if (bytes === undefined) {
      mkdirSync(place, { recursive: true, mode: 0o700 })
    } else {
      mkdirSync(dirname(place), { recursive: true, mode: 0o700 })
      writeFileSync(place, bytes, { mode: 0o600 })
    }
  }
}

type ContentChange = Extract<Operation, { kind: 'bytes' | 'size' }>

interface DurableNode {
  isFolder: boolean
  bytes: GrowingBytes
  entries: Map<string, number>
  /** What has changed in the file since its last sync. */
  unsynced: ContentChange[]
}

class Disk {
  readonly #dropsFolderSyncs: boolean
  readonly #nodes = new Map<number, DurableNode>()
  /** Changes of names that may not be durable, in their order. Those of one item, in one folder, happen together. */
  #unsynced: NameChange[][] = []

  constructor(dropsFolderSyncs: boolean) {
    this.#dropsFolderSyncs = dropsFolderSyncs
  }

  carryOut(operation: Operation): void {
    switch (operation.kind) {
      case 'make': {
        const { node, isFolder } = operation
        this.#nodes.set(node, { isFolder, bytes: new GrowingBytes(), entries: new Map(), unsynced: [] })
        break
      }
      case 'names':
        this.#unsynced.push(...Map.groupBy(operation.changes, ({ folder }) => folder).values())
        break
      case 'bytes':
      case 'size':
        this.#node(operation.node).unsynced.push(operation)
        break
      case 'sync':
        this.#sync(operation.node)
    }
  }

  filesAfter(loss: Loss, random: Random): Files {
    const entries = new Map([...this.#nodes].map(([id, node]) => [id, new Map(node.entries)]))
    for (const changes of this.#unsynced)
      if (isKept(loss.names, random)) rename(changes, (folder) => entries.get(folder)!)
    const files: Files = new Map()
    const collect = (folder: number, path: string): void => {
      for (const [name, id] of entries.get(folder)!) {
        const node = this.#node(id)
        files.set(join(path, name), node.isFolder ? undefined : keptBytes(node, loss, random))
        collect(id, join(path, name))
      }
    }
    collect(rootId, '')
    return files
  }

  #sync(id: number): void {
    const node = this.#node(id)
    for (const change of node.unsynced) apply(change, node.bytes)
    node.unsynced = []
    if (node.isFolder && this.#dropsFolderSyncs) return
    const isDurable = (changes: NameChange[]) => changes.some(({ folder }) => folder === id)
    for (const changes of this.#unsynced.filter(isDurable)) rename(changes, (folder) => this.#node(folder).entries)
    this.#unsynced = this.#unsynced.filter((changes) => !isDurable(changes))
  }

  #node(id: number): DurableNode {
    return this.#nodes.get(id)!
  }
}

function isKept(kept: Kept, random: Random): boolean {
  return kept === 'all' || (kept === 'some' && random.below(2) === 0)
}

function rename(changes: NameChange[], entriesOf: (folder: number) => Map<string, number>): void {
  for (const { folder, name, node } of changes) {
    if (node === 0) entriesOf(folder).delete(name)
    else entriesOf(folder).set(name, node)
  }
}

function apply(change: ContentChange, bytes: GrowingBytes): void {
  if (change.kind === 'size') bytes.resize(change.size)
  else bytes.write(change.offset, change.bytes)
}

function keptBytes({ bytes, unsynced }: DurableNode, loss: Loss, random: Random): Buffer {
  if (unsynced.length === 0) return bytes.view()
  const kept = bytes.copy()
  const whole = bytes.copy()
  for (const change of unsynced) {
    for (const piece of pieces(change, loss.grain)) {
      if (isKept(loss.bytes, random)) apply(piece, kept)
    }
    apply(change, whole)
  }
  if (loss.keepsSize) kept.resize(whole.size)
  return kept.view()
}

/** Cuts a write at the ends of pages or sectors. */
function pieces(change: ContentChange, grain: number): ContentChange[] {
  if (change.kind === 'size') return [change]
  const { offset, bytes } = change
  const parts: ContentChange[] = []
  for (let from = 0; from < bytes.length;) {
    const end = Math.min(bytes.length, from + grain - ((offset + from) % grain))
    parts.push({ ...change, offset: offset + from, bytes: bytes.subarray(from, end) })
    from = end
  }
  return parts
}
