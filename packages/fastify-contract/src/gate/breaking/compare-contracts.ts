import { unescapeName } from '../../json/pointer.ts'
import { printable } from '../../json/printable.ts'
import { isSchema } from '../../schema/schema-parts.ts'
import type { OpenApi } from '../check/read-contract.ts'
import { pointerInContract } from '../check/structure.ts'
import { type RedoclyChange, redoclyDiff } from './redocly-diff.ts'

/**
 * What a change means for clients that kept to the contract before: it can break them, it cannot, or it changes
 * nothing but the documentation. What cannot be judged counts as breaking.
 */
export type Impact = 'breaking' | 'compatible' | 'editorial'

/** One change of the contract. */
export interface Change {
  impact: Impact
  /** Where the contract changed and how, printable. */
  text: string
  /** The file, line and column: of the current contract, or for what was removed of the one before. */
  place: string
}

/**
 * Compares two contracts from the point of view of a client, by the rules of Redocly and `correction`.
 *
 * @param before the contract that clients know
 * @param after the contract that they will meet
 * @returns the changes, but for those of info.version and of extensions
 * @throws BrokenContract when one of them cannot be compared
 */
export async function compareContracts(before: OpenApi, after: OpenApi): Promise<Change[]> {
  const found = (await redoclyDiff(before, after))
    .filter(({ path, property }) => path !== '#/info' || property !== 'version')
    .filter(({ typeName, property = '' }) => typeName !== 'SpecExtension' && !property.startsWith('x-'))
    .map((change) => describe(change, before, after))
  return [...found, ...largeNumberChanges(before.document, after.document, after)]
}

function describe(change: RedoclyChange, before: OpenApi, after: OpenApi): Change {
  const { path, base, revision, verdicts } = change
  const [site, side] = revision === undefined ? [base, before] : [revision, after]
  const names = namesOf(site?.pointer ?? path)
  const shown = names[0] === 'components' ? names : namesOf(path)
  const { impact, reason } = judge(change)
  const words = verdicts.map(({ message }) => message.replace(/\.$/, '')).join('; ')
  return changeAt(impact, words || (reason ?? valuesOf(change)), shown, names, side)
}

/** The keywords of a schema whose changed values the rules of Redocly judge, and those that assert nothing. */
const judged =
  /^(?:type|enum|const|required|pattern|format|multipleOf|uniqueItems|items|(?:additional|unevaluated)Properties|(?:min|max)(?:Length|Items|Properties)|(?:minimum|maximum|exclusiveM(?:in|ax)imum))$/
const annotations =
  /^(?:\$comment|deprecated|description|examples?|externalDocs|mapping|propertyName|summary|tags|title)$/
const documentation = /^(?:Contact|Example|ExamplesMap|ExternalDocs|Info|License|Link|LinksMap|Tag|TagList)$/

/** The judgement of Redocly, corrected where it misses a break. */
function judge(change: RedoclyChange): { impact: Impact; reason?: string } {
  const { typeName, kind, impact, property = '', path, base, revision } = change
  const [was, is] = [base?.value, revision?.value]
  if (impact === 'major') return { impact: 'breaking' }
  // A client relies on acting for its caller alone.
  if (typeName === 'SecurityRequirement' && kind !== 'removed' && isSchema(is) && Object.keys(is).length === 0)
    return { impact: 'breaking', reason: 'no credentials are required any more' }
  if (typeName === 'RequestBody' && kind === 'added' && isSchema(is) && is['required'] === true)
    return { impact: 'breaking', reason: 'a required body was added' }
  if (typeName === 'Header' && property === 'required' && was === true)
    return { impact: 'breaking', reason: 'the header need not be there any more' }
  // What a client sends in a property that the service does not read any more is lost without an error.
  const isProperty = /^Schema/.test(typeName) && /\/(?:properties|allOf)(?:\/[^/]+)?$/.test(path)
  if (isProperty && (kind === 'removed' || property === 'key'))
    return { impact: 'breaking', reason: 'properties that clients send are not read any more' }
  const isAnnotation = annotations.test(property) && typeName !== 'SchemaProperties'
  if (documentation.test(typeName) || isAnnotation) return { impact: 'editorial' }
  const isJudged = typeName === 'Schema' ? judged.test(property) : typeName !== 'SchemaProperties'
  if (kind !== 'modified' || isJudged) return { impact: 'compatible' }
  return { impact: 'breaking', reason: `${valuesOf(change)}, which is not judged and so counts as breaking` }
}

function valuesOf({ kind, property, base, revision }: RedoclyChange): string {
  if (property === undefined) return kind
  const [was, is] = [base?.value, revision?.value].map((value) =>
    value === undefined ? 'none' : JSON.stringify(value),
  )
  const words = `${property} changed from ${String(was)} to ${String(is)}`
  return words.length <= 100 ? words : `${property} changed`
}

function changeAt(impact: Impact, words: string, shown: string[], names: string[], side: OpenApi): Change {
  const place = side.locate(names)
  return {
    impact,
    text: printable(`${shown.join(' > ')}: ${words}`),
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

/**
 * The integers that changed while the doubles nearest to them did not, such as a bound of 9223372036854775807 that
 * became …806. Redocly reads numbers as doubles and does not see that.
 */
function largeNumberChanges(before: unknown, after: unknown, side: OpenApi, names: string[] = []): Change[] {
  if (typeof before === 'bigint' && typeof after === 'bigint') {
    if (before === after || Number(before) !== Number(after)) return []
    return [changeAt('breaking', `changed from ${String(before)} to ${String(after)}`, names, names, side)]
  }
  if (typeof before !== 'object' || before === null || typeof after !== 'object' || after === null) return []
  const current = after as Record<string, unknown>
  return Object.entries(before).flatMap(([name, member]) =>
    /^examples?$/.test(name) ? [] : largeNumberChanges(member, current[name], side, [...names, name]),
  )
}
