import { type ContractDocument, contractMethods, dereference } from '../../document/document.ts'
import { lookUp, unescapeName } from '../../json/pointer.ts'
import { printable } from '../../json/printable.ts'
import { isSchema } from '../../schema/schema-parts.ts'
import type { OpenApi } from '../check/read-contract.ts'
import { pointerInContract } from '../check/structure.ts'
import type { Kind } from '../keywords/keyword.ts'
import { heldBy } from '../keywords/objects.ts'
import { type Direction, type Impact, classifyChange, describeValues } from './classify-change.ts'
import { type RedoclyChange, redoclyDiff } from './redocly-diff.ts'

/** One change of the contract. */
export interface Change {
  impact: Impact
  /** What changed, and in which part of the API, printable. */
  text: string
  /** The file, line and column: of the current contract, or for what was removed of the one before. */
  place: string
}

/** A contract, also without its references but those to schemas. */
interface Side extends OpenApi {
  contract: ContractDocument
  /** In which directions each component is used: those of all its uses, not of the first one alone. */
  directions: Map<string, Set<Direction>>
}

/**
 * Compares two contracts from the point of view of a client. Redocly finds the changes and classifies them,
 * `classifyChange` corrects single ones.
 *
 * @param before the contract that clients know
 * @param after the contract that they will meet
 * @returns the changes, but for those of info.version and of extensions, and both versions
 * @throws BrokenContract when one of them cannot be compared
 */
export async function compareContracts(
  before: OpenApi,
  after: OpenApi,
): Promise<{ changes: Change[]; versions: { before: string; after: string } }> {
  const [old, current] = [sideOf(before), sideOf(after)]
  const found = (await redoclyDiff(before, after))
    .filter(({ path, property }) => path !== '#/info' || property !== 'version')
    .filter(({ typeName, property = '' }) => typeName !== 'SpecExtension' && !property.startsWith('x-'))
    .map((change) => describe(change, old, current))
  const versionOf = ({ contract }: Side) => printable(contract.info.version)
  return {
    changes: [...found, ...numberChanges(old.document, current.document, current)],
    versions: { before: versionOf(old), after: versionOf(current) },
  }
}

function sideOf(contract: OpenApi): Side {
  const { document } = contract
  return { ...contract, contract: dereference(document), directions: componentDirections(document) }
}

function describe(change: RedoclyChange, old: Side, current: Side): Change {
  const { path, verdicts, kind, property, base, revision } = change
  const [site, side] = revision === undefined ? [base, old] : [revision, current]
  // What is changed is a member of this place.
  const pointer = (site?.pointer ?? path).replace(property === undefined ? '' : new RegExp(`/${property}$`), '')
  const { impact, reason } = classifyChange(change, {
    directions: directionsOf(path, pointer, side),
    isRequired: isRequired(side, pointer),
  })
  const words =
    verdicts.length > 0 && impact === 'breaking'
      ? verdicts.map(({ message }) => message.replace(/\.$/, '')).join('; ')
      : (reason ?? (property === undefined ? kind : describeValues(property, base?.value, revision?.value)))
  const shown = pointer.startsWith('#/components/') ? pointer : path
  return changeAt(impact, words, namesOf(shown), namesOf(site?.pointer ?? path), side)
}

function changeAt(impact: Impact, words: string, shown: string[], names: string[], side: Side): Change {
  const place = side.locate(names)
  return {
    impact,
    text: printable(`${readablePath(shown, side.contract)}: ${words}`),
    place: place === undefined ? '' : `${place.file}:${String(place.line)}:${String(place.col)}`,
  }
}

/** The names of a JSON pointer in a URI fragment, such as `#/paths/~1plants/get` (RFC 6901, section 6). */
function namesOf(pointer: string): string[] {
  return pointerInContract(pointer)
    .replace(/^#?\/?/, '')
    .split('/')
    .map(unescapeName)
}

/** Members that say nothing a client could break on. */
const annotations: readonly string[] = ['example', 'examples', 'default', 'description']

/**
 * The integers of a contract that changed while the doubles nearest to them did not, such as a bound of
 * 9223372036854775807 that became …806. Redocly reads numbers as doubles and does not see that.
 */
function numberChanges(before: unknown, after: unknown, side: Side, path: string[] = []): Change[] {
  if (typeof before === 'bigint' && typeof after === 'bigint') {
    if (before === after || Number(before) !== Number(after)) return []
    return [changeAt('breaking', `changed from ${String(before)} to ${String(after)}`, path, path, side)]
  }
  if (typeof before !== 'object' || before === null || typeof after !== 'object' || after === null) return []
  const current = after as Record<string, unknown>
  return Object.entries(before).flatMap(([name, member]) =>
    annotations.includes(name) ? [] : numberChanges(member, current[name], side, [...path, name]),
  )
}

/** In which directions a place is used. */
function directionsOf(path: string, pointer: string, { directions }: Side): ReadonlySet<Direction> {
  const [component = ''] = /^#\/components\/[^/]+\/[^/]+/.exec(pointer) ?? []
  const direction = directionOfPath(path)
  return directions.get(component) ?? new Set(direction === undefined ? [] : [direction])
}

/** The directions of components by the references to them, through references of references, too. */
function componentDirections(document: Record<string, unknown>): Map<string, Set<Direction>> {
  const found = new Map<string, Set<Direction>>()
  const met: Record<Direction | 'neither', Set<unknown>> = {
    request: new Set(),
    response: new Set(),
    neither: new Set(),
  }
  const pending: { value: unknown; kind: Kind; around?: Direction | undefined }[] = [
    { value: { paths: document['paths'], [unmatched]: document[unmatched] }, kind: 'document' },
  ]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, kind, around } = next
    const direction = sentIn[kind] ?? around
    if (!isSchema(value) || kind === 'callback' || met[direction ?? 'neither'].has(value)) continue
    met[direction ?? 'neither'].add(value)
    const { $ref: reference } = value
    if (typeof reference === 'string' && direction !== undefined) {
      found.set(reference, (found.get(reference) ?? new Set()).add(direction))
      pending.push({ value: lookUp(document, reference), kind, around: direction })
    }
    for (const keyword of Object.keys(value)) {
      const held = heldBy(value, kind, keyword)
      for (const name of held?.names ?? [])
        pending.push({ value: held!.holder[name], kind: held!.kind, around: direction })
    }
  }
  return found
}

const unmatched = 'x-unmatched-responses'

/** In which direction objects go. */
const sentIn: Partial<Record<Kind, Direction>> = { parameter: 'request', requestBody: 'request', response: 'response' }

/** In which direction a place of an operation is; undefined where it is in neither. */
function directionOfPath(pointer: string): Direction | undefined {
  if (/^#\/paths\/[^/]+\/(?:[a-z]+\/)?(?:parameters|requestBody)(?:\/|$)/.test(pointer)) return 'request'
  if (/^#\/(?:paths\/[^/]+\/[a-z]+\/responses|x-unmatched-responses)(?:\/|$)/.test(pointer)) return 'response'
  return undefined
}

/** Whether a place is a property that its schema requires. */
function isRequired({ document }: Side, pointer: string): boolean {
  const [, owner, name] = /^(.*)\/properties\/([^/]+)$/.exec(pointer) ?? []
  if (owner === undefined || name === undefined) return false
  const required = lookUp(document, `${owner}/required`)
  return Array.isArray(required) && required.includes(unescapeName(name))
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

/** `paths, /plants, get, parameters, 0, schema` as `GET /plants, query parameter limit`. */
function readablePath(names: string[], document: ContractDocument): string {
  const parts: string[] = []
  let node: unknown = document
  const enter = (name: string) => (node = isSchema(node) || Array.isArray(node) ? (node as never)[name] : undefined)
  for (let index = 0; index < names.length; index++) {
    const [name = '', next = ''] = names.slice(index, index + 2)
    enter(name)
    const word = namedMembers[name]
    if (name === 'paths' && index === 0) {
      const method = contractMethods.find((each) => each === names[2])
      parts.push([method?.toUpperCase(), next].filter((part) => part !== undefined).join(' '))
      enter(next)
      if (method !== undefined) enter(method)
      index += method === undefined ? 1 : 2
    } else if (name === 'components' && index === 0) continue
    else if (next !== '' && (name === 'parameters' || word !== undefined)) {
      enter(next)
      const { in: place, name: parameter } = isSchema(node) ? node : {}
      parts.push(word === undefined ? `${String(place)} parameter ${String(parameter)}` : `${word} ${next}`)
      index++
    } else if (name === 'requestBody') parts.push('request body')
    else if (!(name === 'schema' && index === names.length - 1)) parts.push(name)
  }
  return parts.join(', ') || 'the document'
}
