/**
 * The process of a disk. It keeps files in memory, serves them to the kernel over FUSE, and records each change and
 * each sync before it answers. Arguments: the recording, and a folder whose content the disk begins with. Descriptor 3
 * is /dev/fuse. It prints a word when the content is loaded, is to be mounted before its standard input ends, and ends
 * when it is unmounted.
 */
import { readSync, writeSync } from 'node:fs'
import { constants } from 'node:os'
import { FileError, FileTree, type Node } from './file-tree.ts'
import {
  type Request,
  attributes,
  directory,
  entry,
  initialization,
  maxRequest,
  namesAt,
  opcode,
  opened,
  pack,
  readRequest,
  statistics,
  writeReply,
} from './fuse-messages.ts'
import { openRecording } from './recording.ts'

const { ENOENT, ENOSYS, ENODEV } = constants.errno

const device = 3

/** Answers requests until the disk is unmounted. */
function serve(): void {
  const message = Buffer.alloc(maxRequest)
  for (;;) {
    try {
      readSync(device, message, 0, message.length, null)
    } catch (error) {
      const { errno = 0 } = error as NodeJS.ErrnoException
      // Interrupted before it was read, or unmounted.
      if (-errno === ENOENT) continue
      if (-errno === ENODEV) return
      throw error
    }
    const request = readRequest(message)
    const reply = answer(request)
    if (reply !== undefined) writeSync(device, reply)
  }
}

/** @returns undefined where the kernel expects no answer */
function answer(request: Request): Buffer | undefined {
  try {
    const body = carryOut(request)
    return body === undefined ? undefined : writeReply(request.unique, 0, body)
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    return writeReply(request.unique, error.errno, Buffer.alloc(0))
  }
}

const nothing = Buffer.alloc(0)

/** @throws FileError */
function carryOut({ opcode: operation, node, user, group, body }: Request): Buffer | undefined {
  switch (operation) {
    case opcode.initialize:
      return initialization()
    case opcode.forget:
    case opcode.batchForget:
    case opcode.interrupt:
      return undefined
    case opcode.lookup: {
      const found = tree.find(node, namesAt(body, 0)[0]!)
      if (found === undefined) throw new FileError(ENOENT)
      return entry(found)
    }
    case opcode.getAttributes:
      return attributes(tree.node(node))
    case opcode.setAttributes:
      return attributes(setAttributes(node, body))
    case opcode.makeFolder: {
      const permissions = body.readUInt32LE(0) & 0o7777
      return entry(tree.make(node, namesAt(body, 8)[0]!, { isFolder: true, permissions, user, group }))
    }
    case opcode.create: {
      const permissions = body.readUInt32LE(4) & 0o7777
      const made = tree.make(node, namesAt(body, 16)[0]!, { isFolder: false, permissions, user, group })
      return Buffer.concat([entry(made), opened(made.id)])
    }
    case opcode.link:
      return entry(tree.link(Number(body.readBigUInt64LE(0)), node, namesAt(body, 8)[0]!))
    case opcode.unlink:
    case opcode.removeFolder:
      tree.remove(node, namesAt(body, 0)[0]!, operation === opcode.removeFolder)
      return nothing
    case opcode.rename:
      rename(node, body)
      return nothing
    case opcode.open:
    case opcode.openFolder:
      return opened(tree.node(node).id)
    case opcode.read: {
      const offset = Number(body.readBigUInt64LE(8))
      return tree.node(node).bytes.view(offset, offset + body.readUInt32LE(16))
    }
    case opcode.readFolder:
      return directory(tree.node(node), Number(body.readBigUInt64LE(8)), body.readUInt32LE(16))
    case opcode.write: {
      const bytes = body.subarray(40, 40 + body.readUInt32LE(16))
      tree.write(node, Number(body.readBigUInt64LE(8)), bytes)
      return pack(bytes.length, 0)
    }
    case opcode.sync:
    case opcode.syncFolder:
      tree.sync(node)
      return nothing
    case opcode.statistics:
      return statistics()
    case opcode.release:
    case opcode.releaseFolder:
    case opcode.flush:
      return nothing
    // Such as extended attributes; the kernel does without.
    default:
      throw new FileError(ENOSYS)
  }
}

function rename(folder: number, body: Buffer): void {
  const [from, to] = namesAt(body, 8)
  tree.move({ folder, name: from! }, { folder: Number(body.readBigUInt64LE(0)), name: to! })
}

/** `struct fuse_setattr_in`. */
function setAttributes(id: number, body: Buffer): Node {
  const valid = body.readUInt32LE(0)
  const node = tree.node(id)
  if ((valid & 1) !== 0) node.permissions = body.readUInt32LE(68) & 0o7777
  if ((valid & 2) !== 0) node.user = body.readUInt32LE(76)
  if ((valid & 4) !== 0) node.group = body.readUInt32LE(80)
  if ((valid & 8) !== 0) tree.resize(id, Number(body.readBigUInt64LE(16)))
  return node
}

const [recording = '', content = ''] = process.argv.slice(2)
const tree = new FileTree(openRecording(recording))
tree.load(content)
process.stdout.write('loaded')
// The device refuses to be read before it is mounted.
readSync(0, Buffer.alloc(1))
serve()
