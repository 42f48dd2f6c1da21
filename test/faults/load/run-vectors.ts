import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { answersIn, faultIn } from '../../../bench/fuzz/answers.ts'
import { sendAttack } from '../../../bench/fuzz/send-attack.ts'

/** Bytes of a request, or of what is no request, in a file of Markdown. */
export interface Vector {
  /** The file and the line of the block. */
  place: string
  /** A character for each byte. `$TOKEN` stands for a token, `$ID` for a number of eight digits that is sent once. */
  text: string
  /** The statuses of the answers, behind `http` in the block's first line; undefined where there are none. */
  statuses: string | undefined
}

const parallel = 16
const firstId = 10_000_000

/**
 * Reads the blocks "```http" of all files of Markdown below a folder, as github.com/nodejs/llhttp has its test vectors.
 * A line ends with CRLF, or with nothing behind a backslash. The last one of a block ends with nothing. `\r`, `\n`,
 * `\t`, `\f`, `\xff` and `\377` are bytes.
 */
export function readVectors(folder: string): Vector[] {
  const files = globSync('**/*.md', { cwd: folder }).sort()
  return files.flatMap((file) => {
    const text = readFileSync(join(folder, file), 'utf8')
    return [...text.matchAll(/^```http *(.*)\n([^]*?)\n?^```$/gm)].map(
      ({ index, 1: statuses = '', 2: block = '' }) => ({
        place: `${file}:${String(text.slice(0, index).split('\n').length)}`,
        text: unescaped(block),
        statuses: statuses === '' ? undefined : statuses,
      }),
    )
  })
}

const controls: Record<string, string> = { r: '\r', n: '\n', t: '\t', f: '\f' }

function unescaped(block: string): string {
  const lines = block.replaceAll('\\\n', '').replaceAll('\n', '\r\n')
  return lines.replaceAll(
    /\\(?:([rntf])|x([\da-f]{2})|([0-7]{1,3}))/gi,
    (_escape, control: string | undefined, hexadecimal: string | undefined, octal: string | undefined) =>
      controls[control ?? ''] ??
      String.fromCharCode(
        hexadecimal === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(hexadecimal, 16),
      ),
  )
}

const operationFields = 'Host: a\r\nAuthorization: Bearer $TOKEN\r\nContent-Type: application/json\r\n'

/**
 * The same vector as a request to an operation: with its path, and with the fields that it needs where it has no
 * Host. Without them most vectors are refused before anything else is looked at.
 */
export function asOperation({ place, text }: Vector): Vector {
  const fields = /^host *:/im.test(text) ? '' : operationFields
  const request = text.replace(/^(\s*\S+ +)\S+( +HTTP\/1\.\d\r?\n)/, (_line, method: string, version: string) =>
    [method, '/plants', version, fields].join(''),
  )
  return { place: `${place} to /plants`, text: request, statuses: undefined }
}

/**
 * Sends each vector in one write, and byte by byte. There must be an answer, which is the contract's, and has the
 * statuses that the vector names.
 *
 * @returns what was found, with the place of its vector
 */
export async function runVectors(port: number, token: string, vectors: readonly Vector[]): Promise<string[]> {
  const findings: string[] = []
  let nextId = firstId
  const waiting = vectors.values()

  async function send({ place, text, statuses }: Vector, bytewise: boolean): Promise<void> {
    const id = String(nextId++)
    const bytes = Buffer.from(text.replaceAll('$TOKEN', token).replaceAll('$ID', id), 'latin1')
    const received = await sendAttack(port, { bytes, bytewise, ending: 'wait', milliseconds: 0, reads: true })
    const found = statusesIn(received)
    const isWanted = statuses === undefined ? found !== 'none' : found === statuses
    const problem = faultIn(received) ?? (isWanted ? undefined : `answered ${found}, not ${statuses ?? 'at all'}`)
    if (problem === undefined) return
    const how = bytewise ? 'byte by byte' : 'at once'
    const shown = JSON.stringify(bytes.toString('latin1', 0, 500))
    findings.push(`${place}, ${how}: ${problem}\nafter ${shown}\n${received.slice(0, 1_000)}`)
  }

  async function run(): Promise<void> {
    for (const vector of waiting) {
      await send(vector, false)
      await send(vector, true)
    }
  }

  await Promise.all(Array.from({ length: parallel }, run))
  return findings
}

/** The statuses of what was received, such as `100 200`; `none` where there is no answer, `cut` behind the last one. */
function statusesIn(received: string): string {
  const { answers, rest } = answersIn(received)
  const statuses = answers.map(({ status }) => String(status))
  return [...statuses, ...(rest === '' ? [] : ['cut'])].join(' ') || 'none'
}
