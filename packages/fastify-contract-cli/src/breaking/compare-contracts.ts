import { maps } from 'fastify-contract/document'
import { namesOf, printable } from 'fastify-contract/json'
import type { OpenApi } from '../model/read-contract.ts'
import { isObject } from '../suite/ground/members.ts'
import { once } from '../suite/ground/once.ts'
import { type Proof, createValueComparison } from './compare-values.ts'
import { sideOf } from './contract-side.ts'
import { type Gain, gainsIn, isGain } from './gained-values.ts'
import { type RedoclyChange, pointerInContract, redoclyDiff } from './redocly-diff.ts'

/**
 * The impact of a change on clients of the earlier contract: it can break them, it cannot, or it only changes the
 * documentation. Unknown changes count as breaking.
 */
export const impacts = ['breaking', 'compatible', 'editorial'] as const
export type Impact = (typeof impacts)[number]

/** One change of the contract. */
export interface Change {
  impact: Impact
  /** The changed part and the change, printable. */
  text: string
  /** The file, line and column in the current contract; for a removal, in the earlier one. */
  place: string
}

/**
 * Compares two contracts from the view of a client, by the rules of Redocly and `judge`.
 *
 * @param before the contract of current clients
 * @param after the new contract
 * @returns the changes, except of info.version and extensions
 * @throws BrokenContract if one of them cannot be compared
 */
export async function compareContracts(before: OpenApi, after: OpenApi): Promise<Change[]> {
  const changes = await redoclyDiff(before, after)
  // To read all uses of schemas takes a second for a large contract.
  const sides = once(() => [sideOf(before.document), sideOf(after.document)] as const)
  const gains = once(() => gainsIn(changes, ...sides()))
  const comparison = once(() => createValueComparison(...sides(), [...gains().values()]))
  const judges: Judges = {
    gainOf: (change) => (isGain(change) ? gains().get(change) : undefined),
    prove: (change) => comparison()(change),
  }
  const found = changes
    .filter(({ path, property }) => path !== '#/info' || property !== 'version')
    .filter(({ typeName, property = '' }) => typeName !== 'SpecExtension' && !property.startsWith('x-'))
    .map((change) => describe(change, judges, before, after))
  return [...found, ...largeNumberChanges(before.document, after.document, after)]
}

interface Judges {
  gainOf: (change: RedoclyChange) => Gain | undefined
  prove: Proof
}

function describe(change: RedoclyChange, { gainOf, prove }: Judges, before: OpenApi, after: OpenApi): Change {
  const { path, base, revision, verdicts } = change
  const [site, side] = revision === undefined ? [base, before] : [revision, after]
  const names = namesOf(pointerInContract(site?.pointer ?? path))
  const shown = names[0] === 'components' ? names : namesOf(pointerInContract(path))
  const messages = verdicts.map(({ message }) => message.replace(/\.$/, '')).join('; ')
  const gain = gainOf(change)
  if (gain?.impact === 'compatible') return changeAt(gain.impact, `${messages}; ${gain.reason}`, shown, names, side)
  const { impact, reason } = judge(change)
  const proven = impact === 'editorial' ? undefined : prove(change)
  if (proven === undefined || proven === impact) {
    const said = messages || (reason ?? valuesOf(change))
    return changeAt(impact, gain === undefined ? said : `${said}; ${gain.reason}`, shown, names, side)
  }
  return changeAt(proven, `${messages || valuesOf(change)}; ${proofs[proven]}`, shown, names, side)
}

/** What is known where the values of schemas are compared. */
const proofs = {
  compatible: 'clients know every value that they get, and none of theirs is refused',
  editorial: 'the same values are valid',
}

/** The keywords of schemas that Redocly's rules judge, and those that assert nothing. */
const judged =
  /^(?:type|enum|const|required|pattern|format|multipleOf|uniqueItems|items|(?:additional|unevaluated)Properties|(?:min|max)(?:Length|Items|Properties)|(?:minimum|maximum|exclusiveM(?:in|ax)imum))$/
const annotations = /^(?:\$comment|deprecated|description|examples?|externalDocs|summary|tags|title)$/
const isMappedName = /\/discriminator\/mapping\/[^/]+$/
const documentation = /^(?:Contact|Example|ExamplesMap|ExternalDocs|Info|License|Link|LinksMap|Tag|TagList)$/

/** Redocly's verdict, corrected for the breaking changes that it misses. */
function judge(change: RedoclyChange): { impact: Impact; reason?: string } {
  const { typeName, kind, impact, property = '', path, base, revision } = change
  const [was, is] = [base?.value, revision?.value]
  if (impact === 'major') return { impact: 'breaking' }
  // A client relies on the isolation of callers.
  if (typeName === 'SecurityRequirement' && kind !== 'removed' && isObject(is) && Object.keys(is).length === 0)
    return { impact: 'breaking', reason: 'credentials are no longer required' }
  if (typeName === 'RequestBody' && kind === 'added' && isObject(is) && is['required'] === true)
    return { impact: 'breaking', reason: 'a required body was added' }
  if (typeName === 'Header' && property === 'required' && was === true)
    return { impact: 'breaking', reason: 'the header is no longer required' }
  // The service silently drops properties that it no longer declares.
  const isProperty =
    /^Schema/.test(typeName) && /\/(?:(?:properties|allOf)(?:\/[^/]+)?|additionalProperties)$/.test(path)
  const isClosed = property === 'additionalProperties' && was === true && is === undefined
  if ((isProperty && (kind === 'removed' || property === 'key')) || isClosed)
    return { impact: 'breaking', reason: 'the service no longer reads properties that clients send' }
  const isTag =
    typeName === 'Discriminator' ? property === 'propertyName' : isMappedName.test(path) && kind === 'removed'
  if (isTag) return { impact: 'breaking', reason: `${valuesOf(change)}; clients tell schemas apart by it` }
  const isAnnotation = annotations.test(property) && typeName !== 'SchemaProperties'
  if (documentation.test(typeName) || isAnnotation) return { impact: 'editorial' }
  const isJudged = typeName === 'Schema' ? judged.test(property) : typeName !== 'SchemaProperties'
  if (kind !== 'modified' || isJudged) return { impact: 'compatible' }
  return { impact: 'breaking', reason: `${valuesOf(change)}; unknown changes count as breaking` }
}

function valuesOf({ kind, property, base, revision }: RedoclyChange): string {
  if (property === undefined) return kind
  const [was, is] = [base?.value, revision?.value].map((value) =>
    value === undefined ? 'none' : JSON.stringify(value),
  )
  const full = `${property} changed from ${String(was)} to ${String(is)}`
  return full.length <= 100 ? full : `${property} changed`
}

function changeAt(impact: Impact, text: string, shown: string[], names: string[], side: OpenApi): Change {
  const place = side.locate(names)
  return {
    impact,
    text: printable(`${shown.join(' > ')}: ${text}`),
    place: place === undefined ? '' : `${place.file}:${String(place.line)}:${String(place.col)}`,
  }
}

/**
 * Finds changed integers with the same nearest double, such as a bound of 9223372036854775807 that became …806. Redocly
 * compares numbers as doubles and misses these.
 */
function largeNumberChanges(before: unknown, after: unknown, side: OpenApi, names: string[] = []): Change[] {
  if (typeof before === 'bigint' && typeof after === 'bigint') {
    if (before === after || Number(before) !== Number(after)) return []
    return [changeAt('breaking', `changed from ${String(before)} to ${String(after)}`, names, names, side)]
  }
  if (typeof before !== 'object' || before === null || typeof after !== 'object' || after === null) return []
  const current = new Map<string, unknown>(Object.entries(after))
  const isMap = maps.includes(names.at(-1) ?? '')
  return Object.entries(before).flatMap(([name, member]) =>
    !isMap && /^examples?$/.test(name) ? [] : largeNumberChanges(member, current.get(name), side, [...names, name]),
  )
}
