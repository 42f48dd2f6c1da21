/**
 * Finds what a reference within a document refers to.
 *
 * @param document the parsed document that the reference stands in
 * @param reference a JSON Pointer after `#` (RFC 6901, section 6)
 * @returns the value there; undefined where the reference leads out of the document or to nothing
 */
export function resolveReference(document: unknown, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined
  const tokens = reference.slice(2).split('/')
  return tokens.reduce((node, token) => {
    const name = decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~')
    const isMember = typeof node === 'object' && node !== null && Object.hasOwn(node, name)
    return isMember ? (node as Record<string, unknown>)[name] : undefined
  }, document)
}
