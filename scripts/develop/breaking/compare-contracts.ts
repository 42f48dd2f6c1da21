import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { dereference } from '../../../src/contract/document.ts'
import { contractFile } from '../generate/generate-files.ts'
import { BrokenContract, parseContract } from '../generate/read-contract.ts'
import { missedBreak } from './missed-breaks.ts'
import { numberChanges } from './number-changes.ts'
import { securityChanges } from './security-changes.ts'

/** One change of the contract. */
export interface Change {
  /** Whether it can break a client that was right before. */
  breaks: boolean
  /** What changed and where. */
  text: string
}

/** A change in the JSON report of `redocly diff`. */
export interface RedoclyChange {
  /** A JSON pointer, as a client meets the place: through the operations, not the components. */
  path: string
  typeName: string
  kind: 'added' | 'removed' | 'modified'
  impact: 'major' | 'minor' | 'patch'
  verdicts: { message: string }[]
  property?: string
  base?: Site
  revision?: Site
}

interface Site {
  line: number
  col: number
  value: unknown
}

const execute = promisify(execFile)
const redocly = join(dirname(fileURLToPath(import.meta.resolve('@redocly/cli/package.json'))), 'bin', 'cli.js')
const config = fileURLToPath(new URL('../../../redocly.yaml', import.meta.url))

/**
 * Compares two contracts from the point of view of a client.
 *
 * Redocly's diff finds every change and judges requests and responses each in their own direction: removed paths,
 * operations, parameters, bodies, properties, media types, statuses and headers; what became required, or in responses
 * optional; types, enums, bounds, patterns, formats; combinations; security schemes; servers. Judged here: what an
 * operation requires as security in effect (securityChanges), integers that a double rounds (numberChanges), and single
 * changes that Redocly calls safe (missedBreak).
 *
 * @param before the text of the contract that clients know
 * @param after the text of the contract that they will meet, of which the structure is valid
 * @param label what `before` is called, such as a tag
 * @returns the changes and the version that `before` has
 * @throws BrokenContract when `before` cannot be read
 * @see https://redocly.com/docs/cli/commands/diff
 */
export async function compareContracts(
  before: string,
  after: string,
  label: string,
): Promise<{ changes: Change[]; version: string }> {
  const name = `${label}:${contractFile}`
  const [old, current] = [read(before, name), read(after, contractFile)]
  const found = (await redoclyDiff(before, after))
    .filter(({ typeName }) => !typeName.startsWith('SecurityRequirement'))
    .map((change) => describe(change, name))
  const changes = [...found, ...securityChanges(old, current), ...numberChanges(old, current)]
  return { changes, version: old.info.version }
}

function read(source: string, name: string) {
  try {
    return dereference(parseContract(source, name).document)
  } catch (error) {
    throw new BrokenContract(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

async function redoclyDiff(before: string, after: string): Promise<RedoclyChange[]> {
  const folder = await mkdtemp(join(tmpdir(), 'contracts-'))
  try {
    await writeFile(join(folder, 'before.yaml'), before)
    await writeFile(join(folder, 'after.yaml'), after)
    const args = [
      'diff',
      'before.yaml',
      'after.yaml',
      '--format',
      'json',
      '--fail-on',
      'none',
      '--config',
      config,
      '--skip-rule',
      'security-requirement-changed',
    ]
    const { stdout } = await execute(process.execPath, [redocly, ...args], {
      cwd: folder,
      maxBuffer: 2 ** 26,
      env: { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    })
    // The shape is that of report version 1.
    const report = JSON.parse(stdout) as { reportVersion: string; changes: RedoclyChange[] }
    if (report.reportVersion !== '1')
      throw new Error(`redocly diff writes reports of version ${report.reportVersion}, which this script does not read`)
    return report.changes
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function describe(change: RedoclyChange, before: string): Change {
  const { path, impact, verdicts, base, revision } = change
  const missed = missedBreak(change)
  const words = verdicts.length > 0 ? verdicts.map(({ message }) => message).join(' ') : (missed ?? plainWords(change))
  const site = revision ?? base
  const place =
    site === undefined
      ? ''
      : ` (${revision === undefined ? before : contractFile}:${String(site.line)}:${String(site.col)})`
  return { breaks: impact === 'major' || missed !== undefined, text: `${readablePath(path)}: ${words}${place}` }
}

function plainWords({ kind, property, base, revision }: RedoclyChange): string {
  if (property === undefined) return kind
  const [from, to] = [base?.value, revision?.value].map((value) =>
    value === undefined ? 'none' : JSON.stringify(value),
  )
  const words = `${property} from ${String(from)} to ${String(to)}`
  return words.length <= 80 ? words : `${property} changed`
}

/** `#/paths/~1plants/get/parameters/0` as `GET /plants parameters/0`. */
function readablePath(pointer: string): string {
  const names = pointer
    .replace(/^#\/?/, '')
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  const [section = '', path, method, ...rest] = names
  if (section !== 'paths' || path === undefined) return names.join('/')
  if (method === undefined) return path
  return `${method.toUpperCase()} ${path} ${rest.join('/')}`.trim()
}
