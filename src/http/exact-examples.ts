/** A response as Swagger UI hands it to its `responseInterceptor`. */
export interface PageResponse {
  url: string
  text: string
}

/**
 * Makes the docs page show and prefill the contract's examples digit for digit. Swagger UI reads the contract with
 * doubles: its example 9007199254740993 would become …992, and "Execute" would create or delete another plant
 * (swagger-api/swagger-ui#10049). An example that is a text it shows as it is. So in the page's own copy of the
 * contract each example with an integer beyond 2^53 becomes its JSON text. What a person types is sent as typed.
 *
 * Runs in the browser, where it arrives as its source text: it must use nothing from outside its own body.
 *
 * @param response what the page received; changed where it is the contract
 */
export function showExactExamples(response: PageResponse): PageResponse {
  if (!response.url.endsWith('/openapi.json')) return response
  const contract: unknown = JSON.parse(response.text, (_key, value: unknown, context?: { source?: string }) => {
    const source = context?.source ?? ''
    return typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? BigInt(source) : value
  })
  response.text = JSON.stringify(withExactExamples(contract, []))
  return response

  function withExactExamples(node: unknown, path: string[]): unknown {
    const isExample = (path.at(-1) === 'example' && path.at(-2) !== 'properties') || (path.at(-1) === 'value' && path.at(-3) === 'examples')
    if (isExample) return textIfInexact(node)
    if (typeof node === 'bigint') return String(node)
    if (Array.isArray(node)) return node.map((item, index) => withExactExamples(item, [...path, String(index)]))
    if (typeof node !== 'object' || node === null) return node
    return Object.fromEntries(Object.entries(node).map(([key, member]) => [key, withExactExamples(member, [...path, key])]))
  }

  function textIfInexact(example: unknown): unknown {
    let isInexact = false
    const text = JSON.stringify(
      example,
      (_key, member: unknown) => {
        if (typeof member !== 'bigint') return member
        isInexact = true
        return JSON.rawJSON(String(member))
      },
      2,
    )
    return isInexact ? text : example
  }
}
