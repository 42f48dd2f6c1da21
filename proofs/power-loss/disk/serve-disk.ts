/**
 * The process of a disk. It keeps files in memory, serves them to the kernel over FUSE, and records each change and
 * each sync before it replies. Arguments: the recording, and a folder with the initial content. Descriptor 3 is
 * /dev/fuse. It prints `loaded`, waits until it is mounted, and ends when it is unmounted.
 */
import { readSync, writeSync } from 'node:fs'
import { constants } from 'node:os'
import { FileTree, type NameOf } from './file-tree.ts'
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
  writeReply,
} from './fuse-messages.ts'
import { openRecording } from './recording.ts'

const { ENOENT, ENOSYS, ENODEV, ENOTEMPTY, EPERM } = constants.errno

const device = 3

/** Serves requests until the disk is unmounted. */
function serve(): void {
  const message = Buffer.alloc(maxRequest)
  for (;;) {
    try {
      readSync(device, message, 0, message.length, null)
    } catch (error) {
      const { errno = 0 } = error as NodeJS.ErrnoException
      // Interrupted before it was read.
      if (-errno === ENOENT) continue
      // Unmounted.
      if (-errno === ENODEV) return
      if (-errno !== EPERM) throw error
      // Not mounted yet.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
      continue
    }
    const request = readRequest(message)
    const reply = carryOut(request)
    if (reply !== undefined) writeSync(device, writeReply(request.unique, reply))
  }
}

const nothing = Buffer.alloc(0)

/** @returns the reply; undefined if the kernel expects none; an errno(3) for a failure */
function carryOut({ opcode: operation, node, body }: Request): Buffer | number | undefined {
  const place = (offset: number, folder = node): NameOf => ({ folder, name: namesAt(body, offset)[0]! })
  switch (operation) {
    case opcode.initialize:
      return initialization()
    case opcode.forget:
    case opcode.batchForget:
    case opcode.interrupt:
      return undefined
    case opcode.lookup: {
      const found = tree.find(place(0))
      return found === undefined ? ENOENT : entry(found)
    }
    case opcode.getAttributes:
      return attributes(tree.node(node))
    case opcode.setAttributes:
      // FATTR_SIZE of `struct fuse_setattr_in`. Owner and permissions are ignored.
      if ((body.readUInt32LE(0) & 8) !== 0) tree.resize(node, Number(body.readBigUInt64LE(16)))
      return attributes(tree.node(node))
    case opcode.makeFolder:
      return entry(tree.make(place(8), true))
    case opcode.create: {
      const made = tree.make(place(16), false)
      return Buffer.concat([entry(made), opened(made.id)])
    }
    case opcode.link:
      return entry(tree.link(Number(body.readBigUInt64LE(0)), place(8)))
    case opcode.removeFolder:
      if (tree.find(place(0))?.entries?.size !== 0) return ENOTEMPTY
      tree.remove(place(0))
      return nothing
    case opcode.unlink:
      tree.remove(place(0))
      return nothing
    case opcode.rename:
      tree.move(place(8), { folder: Number(body.readBigUInt64LE(0)), name: namesAt(body, 8)[1]! })
      return nothing
    case opcode.open:
    case opcode.openFolder:
      return opened(node)
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
    // Such as closes and extended attributes, of which the kernel needs nothing.
    default:
      return ENOSYS
  }
}

const [recording = '', content = ''] = process.argv.slice(2)
const tree = new FileTree(openRecording(recording))
tree.load(content)
process.stdout.write('loaded')
serve()
