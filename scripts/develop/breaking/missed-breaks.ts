import type { RedoclyChange } from './compare-contracts.ts'

/** Assertions and meanings of a schema that Redocly 2.77 has no rule for. */
const unjudged: readonly string[] = [
  'readOnly',
  'writeOnly',
  'if',
  'minContains',
  'maxContains',
  'patternProperties',
  'discriminator',
]

/**
 * What breaks a client in a change that Redocly 2.77 calls safe: a body that was not there before and is required,
 * a response header that need not come any more, an answer to unmatched requests that is not given any more,
 * a keyword that none of its rules judges.
 *
 * @returns why, or undefined for every other change
 */
export function missedBreak({ typeName, kind, path, property, base, revision }: RedoclyChange): string | undefined {
  if (typeName === 'RequestBody' && kind === 'added' && isRequired(revision?.value)) return 'a required body was added'
  if (typeName === 'Header' && kind === 'modified' && property === 'required' && base?.value === true)
    return 'the header need not be there any more'
  if (path.startsWith('#/x-unmatched-responses/') && (kind === 'removed' || property === 'key'))
    return 'the answer to requests that match no operation changed'
  const keyword = typeName === 'Schema' && kind === 'modified' ? property : path.split('/').at(-1)
  if (keyword !== undefined && unjudged.includes(keyword) && !path.endsWith(`/properties/${keyword}`))
    return `${keyword} was ${kind}`
  return undefined
}

function isRequired(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'required' in body && body.required === true
}
