import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type ContractDocument, contractFile } from '../../document/document.ts'
import { stringifyJson } from '../../json/json.ts'
import { lookUp } from '../../json/pointer.ts'
import { printable } from '../../json/printable.ts'
import { fileOfPackage, stackSize } from '../run-tool.ts'
import { BrokenContract } from '../check/findings.ts'
import { hideValues } from '../check/hidden-values.ts'
import { type OpenApiText, parseContract } from '../check/read-contract.ts'
import { type Impact, classifyChange, describeValues } from './classify-change.ts'
import { type Direction, componentDirections, directionOfPath } from './directions.ts'
import { follow, inlineReferences, memberOf, namesOf } from '../check/references.ts'
import { type OwnChange, ownChanges } from './own-changes.ts'

/** One change of the contract. */
export interface Change {
  impact: Impact
  /** What changed, and in which part of the API, printable. */
  text: string
  /** The file, line and column: of the current contract, or for what was removed of the one before. */
  place: string
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
  /** A JSON pointer, as the file has it. */
  pointer: string
  line: number
  col: number
  value: unknown
}

interface Contract {
  file: string
  /** The document with its references, and without. */
  written: Record<string, unknown>
  document: ContractDocument
  directions: Map<string, Set<Direction>>
  locate: ReturnType<typeof parseContract>['locate']
  /** The text that Redocly reads. */
  text: string
  /** Whether that is another text than that of the file. */
  isRewritten: boolean
}

const execute = promisify(execFile)
const redocly = fileOfPackage('@redocly/cli', 'bin/cli.js')
const config = join(import.meta.dirname, '../../../../../redocly.yaml')

/**
 * Compares two contracts from the point of view of a client.
 *
 * Redocly's diff finds the changes and classifies requests and responses each in their own direction. The project's own
 * code corrects single ones (classifyChange), and finds further ones (ownChanges).
 *
 * @param before the text of the contract that clients know
 * @param after the contract that they will meet, of which the structure is valid
 * @param file the name of the file of `before`
 * @returns the changes, but for that of info.version, and both versions
 * @throws BrokenContract when one of them cannot be read
 * @see https://redocly.com/docs/cli/commands/diff
 */
export async function compareContracts(
  before: string,
  after: OpenApiText,
  file: string,
): Promise<{ changes: Change[]; versions: { before: string; after: string } }> {
  const [old, current] = [read({ text: before, locate: undefined }, file), read(after, contractFile)]
  const found = (await redoclyDiff(old.text, current.text))
    .filter(({ typeName }) => !typeName.startsWith('SecurityRequirement'))
    .filter(({ path, property }) => path !== '#/info' || property !== 'version')
    .map((change) => describe(change, old, current))
  const own = ownChanges(old.document, current.document).map((change) => describeOwn(change, current))
  return {
    changes: [...found, ...own],
    versions: { before: versionOf(old.document), after: versionOf(current.document) },
  }
}

/** YAML has `1.0` as a number, and the structure of a released contract is not checked. */
function versionOf({ info }: { info: { version: unknown } }): string {
  return printable(String(info.version))
}

function read({ text, locate }: OpenApiText, file: string): Contract {
  const { document: written, locate: inText } = parseContract(Buffer.from(text), file)
  try {
    const [document, directions] = [inlineReferences(written), componentDirections(written)]
    const hidden = textWithoutData(text, file)
    const isRewritten = locate !== undefined || hidden !== undefined
    return { file, written, document, directions, locate: locate ?? inText, text: hidden ?? text, isRewritten }
  } catch (error) {
    const remedy = `too many schemas refer on to one another to be compared; run Node with ${stackSize}`
    const reason = error instanceof RangeError ? remedy : error instanceof Error ? error.message : String(error)
    throw new BrokenContract([`${file}: ${reason}`], { cause: error })
  }
}

/** The text without what only looks like a reference, which Redocly would follow; undefined where it has none. */
function textWithoutData(text: string, file: string): string | undefined {
  const { document } = parseContract(Buffer.from(text), file)
  const hasHidden = hideValues(document, file, (from, reference) => ({
    file: from,
    value: lookUp(document, reference),
  }))
  return hasHidden ? stringifyJson(document, 2) : undefined
}

async function redoclyDiff(before: string, after: string): Promise<RedoclyChange[]> {
  if (before === after) return []
  const folder = await mkdtemp(join(tmpdir(), 'contracts-'))
  try {
    await writeFile(join(folder, 'before.yaml'), before)
    await writeFile(join(folder, 'after.yaml'), after)
    const command = [stackSize, redocly, 'diff', 'before.yaml', 'after.yaml']
    const options = ['--format=json', '--fail-on=none', '--skip-rule=security-requirement-changed', '--config', config]
    const { stdout } = await execute(process.execPath, [...command, ...options], {
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

function describe(change: RedoclyChange, old: Contract, current: Contract): Change {
  const { path, verdicts, kind, property, base, revision } = change
  const [site, contract] = revision === undefined ? [base, old] : [revision, current]
  // What is changed is a member of this place.
  const pointer = (site?.pointer ?? path).replace(property === undefined ? '' : new RegExp(`/${property}$`), '')
  const { impact, reason, doubt } = classifyChange(change, {
    directions: directionsOf(path, pointer, contract),
    isRequired: isRequired(contract, pointer),
  })
  const words =
    verdicts.length > 0 && impact === 'breaking'
      ? verdicts.map(({ message }) => message.replace(/\.$/, '')).join('; ')
      : (reason ?? (property === undefined ? kind : describeValues(property, base?.value, revision?.value)))
  const shown = pointer.startsWith('#/components/') ? pointer : path
  return {
    impact,
    text: printable(`${readablePath(namesOf(shown), contract.document)}: ${[words, doubt].filter(Boolean).join('; ')}`),
    // Redocly's place is that in the text.
    place: contract.isRewritten ? placeOf(contract, namesOf(site?.pointer ?? path)) : placeIn(contract.file, site),
  }
}

function describeOwn({ impact, path, words }: OwnChange, current: Contract): Change {
  return {
    impact,
    text: printable(`${readablePath([...path], current.document)}: ${words}`),
    place: placeOf(current, [...path]),
  }
}

function placeOf({ file, locate }: Contract, names: string[]): string {
  const place = locate(names)
  return placeIn(place?.file ?? file, place)
}

function placeIn(file: string, site: { line?: number; col?: number } | undefined): string {
  return site?.line === undefined ? file : `${file}:${String(site.line)}:${String(site.col)}`
}

/** In which directions a place is used: a component's are those of all its uses, not of the first one alone. */
function directionsOf(path: string, pointer: string, { directions }: Contract): ReadonlySet<Direction> {
  const [component = ''] = /^#\/components\/[^/]+\/[^/]+/.exec(pointer) ?? []
  const direction = directionOfPath(path)
  return directions.get(component) ?? new Set(direction === undefined ? [] : [direction])
}

/** Whether a place is a property that its schema requires. */
function isRequired({ written }: Contract, pointer: string): boolean {
  const [, owner, name] = /^(.*)\/properties\/([^/]+)$/.exec(pointer) ?? []
  if (owner === undefined || name === undefined) return false
  const [required, [property]] = [follow(written, `${owner}/required`), namesOf(name)]
  return Array.isArray(required) && required.includes(property)
}

/** `paths, /plants, get, parameters, 0, schema` as `GET /plants, query parameter limit`. */
function readablePath(names: string[], document: ContractDocument): string {
  const parts: string[] = []
  let node: unknown = document
  for (let index = 0; index < names.length; index++) {
    const [name = '', next = ''] = names.slice(index, index + 2)
    node = memberOf(node, name)
    const word = namedMembers[name]
    if (name === 'paths' && index === 0) {
      parts.push([names[2]?.toUpperCase(), next].filter((part) => part !== undefined).join(' '))
      node = memberOf(memberOf(node, next), names[2] ?? '')
      index += 2
    } else if (name === 'components' && index === 0) continue
    else if (name === 'parameters' && next !== '') {
      node = memberOf(node, next)
      parts.push(`${String(memberOf(node, 'in'))} parameter ${String(memberOf(node, 'name'))}`)
      index++
    } else if (word !== undefined && next !== '') {
      node = memberOf(node, next)
      parts.push(`${word} ${next}`)
      index++
    } else if (name === 'requestBody') parts.push('request body')
    else if (!(name === 'schema' && index === names.length - 1)) parts.push(name)
  }
  return parts.join(', ')
}

/** What the members of these are called in words. */
const namedMembers: Readonly<Record<string, string>> = {
  content: 'media type',
  headers: 'header',
  properties: 'property',
  responses: 'response',
  schemas: 'schema',
  securitySchemes: 'security scheme',
  'x-unmatched-responses': 'unmatched request, response',
}
