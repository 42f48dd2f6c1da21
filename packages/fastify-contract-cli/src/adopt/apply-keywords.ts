import { formProblem, inWords, misheld } from '../keywords/forms.ts'
import type { Keyword, KeywordContext, Kind } from '../keywords/keyword.ts'
import { requiredMembers } from '../keywords/openapi-keywords.ts'
import { referenceIn } from '../keywords/schema-keywords.ts'
import { type ContractObject, contextOf, keywordOf, objectsIn, objectsOf } from '../keywords/objects.ts'
import type { Adopted } from './adopt.ts'

/** Removes keywords without a value, which YAML reads as null. */
export function removeEmpty({ document, warn }: Adopted): void {
  for (const { object, kind } of objectsOf(document)) {
    for (const key of Object.keys(object)) {
      const { ignores, rejects } = keywordOf(kind, key) ?? { ignores: '' }
      const isData = /^(?:const|default|example|value)$/.test(key)
      if (object[key] !== null || isData || typeof ignores === 'string' || typeof rejects === 'string') continue
      Reflect.deleteProperty(object, key)
      warn({ object, key }, `${key}: has no value, and is ignored; remove it`, 'empty')
    }
  }
}

/**
 * Applies the table of keywords: removes ignored keywords, ignored values of keywords and unknown members, warns of what is
 * only partly enforced, and finds what is rejected, has another form or is missing.
 */
export function applyKeywords(contract: Adopted): void {
  const { document } = contract
  const context = contextOf(document, objectsOf(document))
  // What is in an ignored member is not looked at.
  for (const described of objectsIn(document)) {
    const { object, kind } = described
    for (const key of Object.keys(object)) applyKeyword(described, key, context, contract)
    if ('$ref' in object) continue
    for (const name of requiredMembers[kind] ?? [])
      if (!(name in object)) contract.reject({ object }, `${name}: is missing; add it`)
  }
}

function applyKeyword(
  { object, kind, role }: ContractObject,
  key: string,
  context: Omit<KeywordContext, 'role'>,
  { warn, reject, attempt }: Adopted,
): void {
  const keyword = keywordOf(kind, key) ?? unknown(key, kind)
  const textOf = (rule: Keyword['ignores']) =>
    typeof rule === 'function' ? attempt(() => rule(object[key], object, { ...context, role })) : rule
  const { ignores, warns, rejects } = keyword
  const [at, of] = [{ object, key }, typeof ignores === 'string' ? undefined : `${kind}.${key}`]
  const ignored = textOf(ignores)
  if (ignored !== undefined) {
    Reflect.deleteProperty(object, key)
    warn(at, `${key}: ${ignored}`, of)
    return
  }
  if (typeof rejects === 'string') {
    reject(at, `${key}: ${rejects}`)
    return
  }
  // What only documents may be anything, also what looks like a reference.
  if (keyword.isShown === true && keyword.holds === undefined && referenceIn(object[key]) !== undefined)
    Reflect.deleteProperty(object, key)
  const form = formProblem(keyword, object[key])
  const [rejected, warned] = form === undefined ? [textOf(rejects), textOf(warns)] : [form]
  if (rejected !== undefined) reject(at, `${key}: ${rejected}`)
  if (warned !== undefined) warn(at, `${key}: ${warned}`, of)
  for (const { holder, name, of } of misheld(object, kind, key))
    reject({ object: holder, key: name }, `${key}: has a member that is not ${inWords(of)}; write an object`)
}

function unknown(key: string, kind: Kind): Keyword {
  return key.startsWith('x-')
    ? {}
    : { ignores: () => `is not a keyword of ${inWords(kind)}, and is ignored; remove it` }
}
