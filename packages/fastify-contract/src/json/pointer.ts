import { brand } from '../brand.ts'

/** A reference leads out of the document or to nothing, or its percent-encoding is broken. */
export class BrokenReference extends Error {}
brand(BrokenReference, 'BrokenReference')

/**
 * Resolves a local reference (RFC 6901, section 6).
 *
 * @param reference such as `#/components/schemas/Plant`
 * @throws BrokenReference
 */
export function find(document: unknown, reference: string): unknown {
  if (!reference.startsWith('#/')) throw new BrokenReference(`the reference ${reference} leads out of the contract`)
  const node = lookUp(document, reference)
  if (node === undefined) throw new BrokenReference(`the reference ${reference} leads to nothing`)
  return node
}

/**
 * Resolves a local reference.
 *
 * @returns undefined if it leads out of the document or to nothing
 * @throws BrokenReference if its percent-encoding is broken
 */
export function lookUp(document: unknown, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((node, token) => {
      const name = /[%~]/.test(token) ? unescaped(token, reference) : token
      const isMember = typeof node === 'object' && node !== null && Object.hasOwn(node, name)
      return isMember ? Reflect.get(node, name) : undefined
    }, document)
}

function unescaped(token: string, reference: string): string {
  try {
    return unescapeName(decodeURIComponent(token))
  } catch (error) {
    throw new BrokenReference(`the percent-encoding of the reference ${reference} is broken`, { cause: error })
  }
}

/** The names of a JSON Pointer in a URI fragment, such as `#/paths/~1plants/get`, without percent-encoding. */
export function namesOf(pointer: string): string[] {
  return pointer
    .replace(/^#?\/?/, '')
    .split('/')
    .map(unescapeName)
}

/** Escapes a name for a JSON Pointer (RFC 6901, section 3). */
export function escapeName(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** Unescapes a name of a JSON Pointer. */
export function unescapeName(written: string): string {
  return written.replaceAll('~1', '/').replaceAll('~0', '~')
}
