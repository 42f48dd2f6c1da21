import { RefusedJson, parseJson } from 'fastify-contract/json'

/**
 * Whether a token has the compact form of a JSON Web Signature (RFC 7515, section 7.1): three parts of base64url, of
 * which the first two are JSON without duplicate names.
 *
 * `jose` accepts more. It ignores padding, spaces and unused bits, so one token would have many texts. Of duplicate
 * names it takes the last, where another reader may take the first.
 */
export function isCompactJws(token: string): boolean {
  const [header, claims, signature, ...more] = token.split('.').map(decode)
  if (header === undefined || claims === undefined || signature === undefined || more.length > 0) return false
  return isUnambiguousJson(header) && isUnambiguousJson(claims)
}

/** Decodes base64url without padding (RFC 7515, section 2); undefined if the text is empty or not what encodes the bytes. */
function decode(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return text !== '' && bytes.toString('base64url') === text ? bytes : undefined
}

function isUnambiguousJson(bytes: Buffer): boolean {
  try {
    parseJson(bytes)
    return true
  } catch (error) {
    // JSON with a lone surrogate, such as a name that the provider cut off in the middle of a character.
    return error instanceof RefusedJson
  }
}
