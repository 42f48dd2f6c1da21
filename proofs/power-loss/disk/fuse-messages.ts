/**
 * The messages of FUSE (linux/fuse.h): version 7.31, which Linux 5.4 and later speak. All integers have the byte order
 * of the machine, which is little-endian wherever Node runs.
 */
import { rootId, type Node } from './file-tree.ts'

/** The supported operations. Others fail with ENOSYS. */
export const opcode = {
  lookup: 1,
  forget: 2,
  getAttributes: 3,
  setAttributes: 4,
  makeFolder: 9,
  unlink: 10,
  removeFolder: 11,
  rename: 12,
  link: 13,
  open: 14,
  read: 15,
  write: 16,
  sync: 20,
  initialize: 26,
  openFolder: 27,
  readFolder: 28,
  syncFolder: 30,
  create: 35,
  interrupt: 36,
  batchForget: 42,
} as const

/** The maximum bytes of one write. */
const maxWrite = 128 * 1_024

/** The largest request: a write with its header. */
export const maxRequest = maxWrite + 4_096

const headerLength = 40

/** A request of the kernel. */
export interface Request {
  opcode: number
  /** Repeated in the reply. */
  unique: bigint
  node: number
  /** The bytes after the header. */
  body: Buffer
}

export function readRequest(message: Buffer): Request {
  return {
    opcode: message.readUInt32LE(4),
    unique: message.readBigUInt64LE(8),
    node: Number(message.readBigUInt64LE(16)),
    body: message.subarray(headerLength, message.readUInt32LE(0)),
  }
}

/** @param result of the operation, or its error number */
export function writeReply(unique: bigint, result: Buffer | number): Buffer {
  const [errno, body] = typeof result === 'number' ? [result, Buffer.alloc(0)] : [0, result]
  const header = Buffer.alloc(16)
  header.writeUInt32LE(header.length + body.length, 0)
  header.writeInt32LE(-errno, 4)
  header.writeBigUInt64LE(unique, 8)
  return Buffer.concat([header, body])
}

/** The NUL-terminated names at the end of a request. */
export function namesAt(body: Buffer, offset: number): string[] {
  return body.toString('utf8', offset, body.length - 1).split('\0')
}

/** Packs integers: a `number` has 32 bits, a `bigint` 64. */
export function pack(...integers: (number | bigint)[]): Buffer {
  const bytes = Buffer.alloc(integers.reduce((sum: number, integer) => sum + (typeof integer === 'bigint' ? 8 : 4), 0))
  let at = 0
  for (const integer of integers) {
    at = typeof integer === 'bigint' ? bytes.writeBigUInt64LE(integer, at) : bytes.writeUInt32LE(integer, at)
  }
  return bytes
}

/** Only the kernel changes the disk, so its caches never become stale. */
const validSeconds = 3_600n

export function initialization(): Buffer {
  const [maxReadahead, flags, queues, timeGranularity] = [maxWrite, bigWrites, 0, 1]
  return pack(7, 31, maxReadahead, flags, queues, maxWrite, timeGranularity, ...Array<number>(9).fill(0))
}

/** FUSE_BIG_WRITES: a write may be larger than a page. */
const bigWrites = 1 << 5

/** `struct fuse_entry_out`. */
export function entry(node: Node): Buffer {
  return Buffer.concat([pack(BigInt(node.id), 0n, validSeconds, validSeconds, 0, 0), attributesOf(node)])
}

/** `struct fuse_attr_out`. */
export function attributes(node: Node): Buffer {
  return Buffer.concat([pack(validSeconds, 0, 0), attributesOf(node)])
}

/** `struct fuse_open_out`: the node is the handle. */
export function opened(node: number): Buffer {
  return pack(BigInt(node), 0, 0)
}

/** The type and permissions of a node (inode(7)). */
const modes = { folder: 0o040700, file: 0o100600 }

function attributesOf({ id, entries, bytes, links, changedAt }: Node): Buffer {
  const seconds = BigInt(Math.floor(changedAt / 1_000))
  const nanoseconds = (changedAt % 1_000) * 1_000_000
  const mode = entries === undefined ? modes.file : modes.folder
  const blocks = BigInt(Math.ceil(bytes.size / 512))
  const [user, group] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  return Buffer.concat([
    pack(BigInt(id), BigInt(bytes.size), blocks, seconds, seconds, seconds, nanoseconds, nanoseconds, nanoseconds),
    pack(mode, links, user, group, 0, 4_096, 0),
  ])
}

/** The entries of a folder from `offset` on that fit into `size` bytes. */
export function directory(folder: Node, offset: number, size: number): Buffer {
  const names: [string, number][] = [['.', folder.id], ['..', rootId], ...(folder.entries ?? [])]
  const parts: Buffer[] = []
  let length = 0
  for (const [index, [name, id]] of names.entries()) {
    if (index < offset) continue
    const text = Buffer.from(name)
    // Without the type; programs can read the attributes.
    const part = Buffer.concat([pack(BigInt(id), BigInt(index + 1), text.length, 0), text, padding(text.length)])
    length += part.length
    if (length > size) break
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function padding(length: number): Buffer {
  return Buffer.alloc((8 - (length % 8)) % 8)
}
