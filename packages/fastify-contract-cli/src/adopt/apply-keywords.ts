import { isSchema } from 'fastify-contract/schema'
import type { Keyword, Kind } from '../keywords/keyword.ts'
import { type ContractObject, contextOf, heldBy, keywordOf, objectsIn, objectsOf } from '../keywords/objects.ts'
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
 * only partly enforced, and finds what is rejected.
 */
export function applyKeywords(contract: Adopted): void {
  const { document, warn, reject, attempt } = contract
  const context = contextOf(document, objectsOf(document))
  // What is in an ignored member is not looked at.
  for (const described of objectsIn(document)) {
    const { object, kind, role } = described
    for (const key of Object.keys(object)) {
      const { ignores, warns, rejects } = keywordOf(kind, key) ?? unknown(key, kind)
      const textOf = (rule: Keyword['ignores']) =>
        typeof rule === 'function' ? attempt(() => rule(object[key], object, { ...context, role })) : rule
      const [at, of] = [{ object, key }, typeof ignores === 'string' ? undefined : `${kind}.${key}`]
      const ignored = textOf(ignores)
      if (ignored !== undefined) {
        Reflect.deleteProperty(object, key)
        warn(at, `${key}: ${ignored}`, of)
        continue
      }
      const [rejected, warned] = [textOf(rejects), textOf(warns)]
      if (rejected !== undefined) reject(at, `${key}: ${rejected}`)
      if (warned !== undefined) warn(at, `${key}: ${warned}`, of)
      rejectNoSchemas(described, key, contract)
    }
  }
}

/** Finds what is no schema among the schemas of a keyword. */
function rejectNoSchemas({ object, kind }: ContractObject, key: string, { reject }: Adopted): void {
  const held = heldBy(object, kind, key)
  if (held?.kind !== 'schema' || typeof keywordOf(kind, key)?.rejects === 'string') return
  for (const name of held.names) {
    const schema = held.holder[name]
    if (isSchema(schema) || typeof schema === 'boolean') continue
    reject({ object: held.holder, key: name }, `${key}: has a member that is no schema; write an object`)
  }
}

function unknown(key: string, kind: Kind): Keyword {
  return key.startsWith('x-')
    ? {}
    : { ignores: () => `is not a keyword of ${inWords(kind)}, and is ignored; remove it` }
}

/** A kind of object with its article. */
export function inWords(kind: Kind): string {
  const name = kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${name}`
}
