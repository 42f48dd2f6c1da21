import { readFileSync, readdirSync, statSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { GrowingBytes } from './growing-bytes.ts'
import type { NameChange, Operation } from './recording.ts'

const { ENOENT, EEXIST, ENOTEMPTY, EISDIR, ENOTDIR, EPERM } = constants.errno

/** An error number of errno(3) that an operation ends in. */
export class FileError extends Error {
  readonly errno: number

  constructor(errno: number) {
    super(`errno ${String(errno)}`)
    this.errno = errno
  }
}

/** A file or a folder. */
export interface Node {
  id: number
  /** Undefined for a file. */
  entries: Map<string, number> | undefined
  bytes: GrowingBytes
  links: number
  permissions: number
  user: number
  group: number
  changedAt: number
}

export const rootId = 1

/** Files and folders in memory. Reports each change before it returns. */
export class FileTree {
  readonly #nodes = new Map<number, Node>()
  readonly #report: (operation: Operation) => void

  /** @param report receives each change, and each sync */
  constructor(report: (operation: Operation) => void) {
    this.#report = report
    this.#add({ isFolder: true, permissions: 0o755, user: process.getuid?.() ?? 0, group: process.getgid?.() ?? 0 })
  }

  /** @throws FileError */
  node(id: number): Node {
    const node = this.#nodes.get(id)
    if (node === undefined) throw new FileError(ENOENT)
    return node
  }

  /** @returns what a folder has under a name, undefined when it has nothing @throws FileError */
  find(folder: number, name: string): Node | undefined {
    const id = this.#entriesOf(folder).get(name)
    return id === undefined ? undefined : this.node(id)
  }

  /** @throws FileError */
  make(folder: number, name: string, kind: Pick<Node, 'permissions' | 'user' | 'group'> & { isFolder: boolean }): Node {
    if (this.find(folder, name) !== undefined) throw new FileError(EEXIST)
    const node = this.#add(kind)
    this.#rename([{ folder, name, node: node.id }])
    return node
  }

  /** Gives a file another name. @throws FileError */
  link(id: number, folder: number, name: string): Node {
    const node = this.node(id)
    if (node.entries !== undefined) throw new FileError(EPERM)
    if (this.find(folder, name) !== undefined) throw new FileError(EEXIST)
    this.#rename([{ folder, name, node: id }])
    return node
  }

  /** @throws FileError */
  remove(folder: number, name: string, isFolder: boolean): void {
    const node = this.find(folder, name)
    if (node === undefined) throw new FileError(ENOENT)
    if (isFolder !== (node.entries !== undefined)) throw new FileError(isFolder ? ENOTDIR : EISDIR)
    if (node.entries !== undefined && node.entries.size > 0) throw new FileError(ENOTEMPTY)
    this.#rename([{ folder, name, node: 0 }])
  }

  /** @throws FileError */
  move(from: NameOf, to: NameOf): void {
    const node = this.find(from.folder, from.name)
    if (node === undefined) throw new FileError(ENOENT)
    const replaced = this.find(to.folder, to.name)
    if (replaced?.entries !== undefined && replaced.entries.size > 0) throw new FileError(ENOTEMPTY)
    if (replaced?.id === node.id) return
    this.#rename([
      { ...to, node: node.id },
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

  /** Copies a folder of this machine in; all of it is durable. */
  load(path: string, folder = rootId): void {
    for (const name of readdirSync(path)) {
      const from = join(path, name)
      const { uid: user, gid: group, mode } = statSync(from)
      const isFolder = statSync(from).isDirectory()
      const { id } = this.make(folder, name, { isFolder, permissions: mode & 0o777, user, group })
      if (isFolder) this.load(from, id)
      else this.write(id, 0, readFileSync(from))
      this.sync(id)
    }
    this.sync(folder)
  }

  #add({ isFolder, ...kind }: Pick<Node, 'permissions' | 'user' | 'group'> & { isFolder: boolean }): Node {
    const id = this.#nodes.size + rootId
    const node = {
      id,
      entries: isFolder ? new Map<string, number>() : undefined,
      bytes: new GrowingBytes(),
      links: isFolder ? 2 : 0,
      changedAt: Date.now(),
      ...kind,
    }
    this.#report({ kind: 'make', node: id, isFolder })
    this.#nodes.set(id, node)
    return node
  }

  #rename(changes: NameChange[]): void {
    for (const { folder } of changes) this.#entriesOf(folder)
    this.#report({ kind: 'names', changes })
    for (const { folder, name, node } of changes) {
      const entries = this.#entriesOf(folder)
      const before = entries.get(name)
      if (before !== undefined) this.node(before).links--
      if (node === 0) entries.delete(name)
      else entries.set(name, node)
      if (node !== 0) this.node(node).links++
      this.node(folder).changedAt = Date.now()
    }
  }

  #entriesOf(folder: number): Map<string, number> {
    const { entries } = this.node(folder)
    if (entries === undefined) throw new FileError(ENOTDIR)
    return entries
  }
}

/** A name in a folder. */
export interface NameOf {
  folder: number
  name: string
}
