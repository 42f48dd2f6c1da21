import { openSync, readFileSync, writeSync } from 'node:fs'

/** The new node of a name; 0 for a removal. */
export interface NameChange {
  folder: number
  name: string
  node: number
}

/** An operation that changes a disk or makes a change durable. Node 1 is the root. */
export type Operation =
  | { kind: 'make'; node: number; isFolder: boolean }
  | { kind: 'names'; changes: NameChange[] }
  | { kind: 'bytes'; node: number; offset: number; bytes: Buffer }
  | { kind: 'size'; node: number; size: number }
  | { kind: 'sync'; node: number }

/** An operation and its instant: the length of the recording that includes it. */
export type Recorded = Operation & { instant: number }

/** @returns a function that appends an operation to a recording: a line of JSON, with bytes in base64 */
export function openRecording(file: string): (operation: Operation) => void {
  const descriptor = openSync(file, 'a')
  return (operation) => {
    const bytes = operation.kind === 'bytes' && { bytes: operation.bytes.toString('base64') }
    writeSync(descriptor, `${JSON.stringify({ ...operation, ...bytes })}\n`)
  }
}

/** Reads a whole recording. */
export function readRecording(file: string): Recorded[] {
  let instant = 0
  return readFileSync(file, 'utf8')
    .split(/(?<=\n)/)
    .map((line) => {
      instant += Buffer.byteLength(line)
      // What `openRecording` wrote.
      const recorded = { ...(JSON.parse(line) as Operation), instant }
      if (recorded.kind === 'bytes') recorded.bytes = Buffer.from(String(recorded.bytes), 'base64')
      return recorded
    })
}
