import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { NameChange, Operation } from './recording.ts'

const maxFileBytes = 64 * 1_024 * 1_024

/** The bytes of a file. */
export class GrowingBytes {
  readonly #bytes = new ArrayBuffer(0, { maxByteLength: maxFileBytes })

  get size(): number {
    return this.#bytes.byteLength
  }

  write(offset: number, bytes: Buffer): void {
    this.resize(Math.max(this.size, offset + bytes.length))
    this.view().set(bytes, offset)
  }

  /** Truncates the bytes or appends zeros. */
  resize(size: number): void {
    this.#bytes.resize(size)
  }

  /** A view of the bytes, valid until the next change. */
  view(from = 0, to = this.size): Buffer {
    return Buffer.from(this.#bytes).subarray(from, to)
  }

  copy(): GrowingBytes {
    const copy = new GrowingBytes()
    copy.write(0, this.view())
    return copy
  }
}

/** A file or a folder. */
export interface Node {
  id: number
  /** Undefined for a file. */
  entries: Map<string, number> | undefined
  bytes: GrowingBytes
  links: number
  changedAt: number
}

/** A name in a folder. */
export interface NameOf {
  folder: number
  name: string
}

export const rootId = 1

/**
 * Files and folders in memory. Reports each change before it returns. The kernel, which calls it, has checked that
 * names exist or do not exist, as the operation requires.
 */
export class FileTree {
  readonly #nodes = new Map<number, Node>()
  readonly #report: (operation: Operation) => void

  /** @param report receives each change and each sync */
  constructor(report: (operation: Operation) => void) {
    this.#report = report
    this.#add(true)
  }

  node(id: number): Node {
    return this.#nodes.get(id)!
  }

  /** @returns the node with a name, or undefined */
  find({ folder, name }: NameOf): Node | undefined {
    const id = this.node(folder).entries?.get(name)
    return id === undefined ? undefined : this.node(id)
  }

  make(place: NameOf, isFolder: boolean): Node {
    const node = this.#add(isFolder)
    this.#rename([{ ...place, node: node.id }])
    return node
  }

  /** Gives a file another name. */
  link(id: number, place: NameOf): Node {
    this.#rename([{ ...place, node: id }])
    return this.node(id)
  }

  remove(place: NameOf): void {
    this.#rename([{ ...place, node: 0 }])
  }

  move(from: NameOf, to: NameOf): void {
    this.#rename([
      { ...to, node: this.find(from)!.id },
      { ...from, node: 0 },
    ])
  }

  write(id: number, offset: number, bytes: Buffer): void {
    const node = this.node(id)
    this.#report({ kind: 'bytes', node: id, offset, bytes })
    node.bytes.write(offset, bytes)
    node.changedAt = Date.now()
  }

  resize(id: number, size: number): void {
    const node = this.node(id)
    this.#report({ kind: 'size', node: id, size })
    node.bytes.resize(size)
    node.changedAt = Date.now()
  }

  sync(id: number): void {
    this.#report({ kind: 'sync', node: id })
  }

  /** Copies a folder of this machine to the disk, durably. */
  load(path: string, folder = rootId): void {
    for (const name of readdirSync(path)) {
      const from = join(path, name)
      const isFolder = statSync(from).isDirectory()
      const { id } = this.make({ folder, name }, isFolder)
      if (isFolder) this.load(from, id)
      else this.write(id, 0, readFileSync(from))
      this.sync(id)
    }
    this.sync(folder)
  }

  #add(isFolder: boolean): Node {
    const id = this.#nodes.size + rootId
    const entries = isFolder ? new Map<string, number>() : undefined
    const node = { id, entries, bytes: new GrowingBytes(), links: isFolder ? 2 : 0, changedAt: Date.now() }
    this.#report({ kind: 'make', node: id, isFolder })
    this.#nodes.set(id, node)
    return node
  }

  #rename(changes: NameChange[]): void {
    this.#report({ kind: 'names', changes })
    for (const { folder, name, node } of changes) {
      const before = this.find({ folder, name })
      if (before !== undefined) before.links--
      const { entries } = this.node(folder)
      if (node === 0) entries?.delete(name)
      else {
        entries?.set(name, node)
        this.node(node).links++
      }
      this.node(folder).changedAt = Date.now()
    }
  }
}
