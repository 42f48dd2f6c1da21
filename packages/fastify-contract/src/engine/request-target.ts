/** The parts of a request target, percent-encoded as they were sent. */
export interface RequestTarget {
  path: string
  /** Empty without one. */
  query: string
}

/** Splits a request target in origin form, or in absolute form (RFC 9112, section 3.2). */
export type SplitTarget = (target: string) => RequestTarget

/**
 * Makes the function that splits request targets where the router does.
 *
 * @param useSemicolonDelimiter whether `;` begins the query, too
 */
export function createTargetSplitter(useSemicolonDelimiter = false): SplitTarget {
  const delimiter = useSemicolonDelimiter ? /[?#;]/ : /[?#]/
  return (target) => {
    const url = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*\/?/i, '/')
    const end = url.search(delimiter)
    return end === -1 ? { path: url, query: '' } : { path: url.slice(0, end), query: url.slice(end + 1) }
  }
}
