import { openSync, readFileSync, writevSync } from 'node:fs'

/** What a name leads to from now on; 0 where it is gone. */
export interface NameChange {
  folder: number
  name: string
  node: number
}

/** One operation that changes a disk, or makes a change durable. Nodes are numbered from 1, the root. */
export type Operation =
  | { kind: 'make'; node: number; isFolder: boolean }
  | { kind: 'names'; changes: NameChange[] }
  | { kind: 'bytes'; node: number; offset: number; bytes: Buffer }
  | { kind: 'size'; node: number; size: number }
  | { kind: 'sync'; node: number }

/** An operation, and the length of the recording with it: the instant at which it has happened. */
export type Recorded = Operation & { instant: number }

/** @returns a function that appends an operation to a recording */
export function openRecording(file: string): (operation: Operation) => void {
  const descriptor = openSync(file, 'a')
  return (operation) => {
    const { bytes = Buffer.alloc(0), ...rest } = { bytes: undefined, ...operation }
    const head = Buffer.from(JSON.stringify(rest))
    const lengths = Buffer.alloc(8)
    lengths.writeUInt32LE(head.length, 0)
    lengths.writeUInt32LE(bytes.length, 4)
    writevSync(descriptor, [lengths, head, bytes])
  }
}

/** Reads a whole recording. */
export function readRecording(file: string): Recorded[] {
  const all = readFileSync(file)
  const operations: Recorded[] = []
  let at = 0
  while (at < all.length) {
    const head = at + 8
    const body = head + all.readUInt32LE(at)
    const end = body + all.readUInt32LE(at + 4)
    // What `openRecording` wrote.
    const operation = JSON.parse(all.toString('utf8', head, body)) as Recorded
    if (operation.kind === 'bytes') operation.bytes = all.subarray(body, end)
    operation.instant = end
    operations.push(operation)
    at = end
  }
  return operations
}
