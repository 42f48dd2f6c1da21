import type { Keyword, Kind } from '../keywords/keyword.ts'
import { contextOf, keywordOf, objectsOf, orNothing } from '../keywords/objects.ts'
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

/** Removes ignored keywords, ignored values of keywords and unknown members. Warns of what is only partly enforced. */
export function removeIgnored({ document, warn }: Adopted): void {
  const objects = objectsOf(document)
  const context = contextOf(document, objects)
  for (const { object, kind, role } of objects) {
    const textOf = (rule: Keyword['ignores'], key: string) =>
      typeof rule === 'function' ? orNothing(() => rule(object[key], object, { ...context, role })) : rule
    for (const key of Object.keys(object)) {
      const { ignores, warns } = keywordOf(kind, key) ?? unknown(key, kind)
      const [ignored, warned] = [textOf(ignores, key), textOf(warns, key)]
      if (ignored !== undefined) Reflect.deleteProperty(object, key)
      const text = ignored ?? warned
      if (text !== undefined)
        warn({ object, key }, `${key}: ${text}`, typeof ignores === 'string' ? undefined : `${kind}.${key}`)
    }
  }
}

function unknown(key: string, kind: Kind): Keyword {
  return key.startsWith('x-')
    ? {}
    : { ignores: () => `is not a keyword of ${inWords(kind)}, and is ignored; remove it` }
}

function inWords(kind: Kind): string {
  const name = kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${name}`
}
