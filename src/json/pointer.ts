/**
 * Finds what a local reference refers to (RFC 6901, section 6).
 *
 * @param reference such as `#/components/schemas/Plant`
 * @throws Error when it leads out of the document or to nothing
 */
export function find(document: unknown, reference: string): unknown {
  if (!reference.startsWith('#/')) throw new Error(`the reference ${reference} leads out of the contract`)
  let node = document
  for (const token of reference.slice(2).split('/')) {
    const name = percentDecoded(token, reference).replaceAll('~1', '/').replaceAll('~0', '~')
    const isMember = typeof node === 'object' && node !== null && Object.hasOwn(node, name)
    node = isMember ? (node as Record<string, unknown>)[name] : undefined
  }
  if (node === undefined) throw new Error(`the reference ${reference} leads to nothing`)
  return node
}

function percentDecoded(token: string, reference: string): string {
  try {
    return decodeURIComponent(token)
  } catch (error) {
    throw new Error(`the percent-encoding of the reference ${reference} is broken`, { cause: error })
  }
}
