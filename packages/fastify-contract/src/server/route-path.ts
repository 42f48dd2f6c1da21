/** A path of the contract as a route of Fastify. */
export interface RoutePath {
  /** Such as `/plants/:id`. */
  url: string
  /** The source of an expression that matches the same paths. */
  pattern: string
  /** The parameters, in their order: their names in the contract, and in the route. */
  parameters: { name: string; inRoute: string }[]
}

/**
 * Turns `/plants/{id}` into `/plants/:id`. Fastify restricts the names of parameters, but a contract does not: one that is
 * not a word gets another. A parameter before other text becomes `:id(…)`. `:id` alone also matches the empty text.
 */
export function routePathOf(path: string): RoutePath {
  const names = Array.from(path.matchAll(/\{([^{}]+)\}/g), ([, name = '']) => name)
  const parameters = names.map((name, index) => ({ name, inRoute: routeName(name, index, names) }))
  const rest = parameters.values()
  const segments = path.split('/').map((segment) => segment.split(/\{[^{}]+\}/))
  const nameNext = () => rest.next().value?.inRoute ?? ''
  return {
    url: segments.map((literals) => routeSegment(literals, nameNext)).join('/'),
    pattern: segments.map(patternSegment).join('/'),
    parameters,
  }
}

function routeName(name: string, index: number, names: readonly string[]): string {
  if (/^\w+$/.test(name)) return name
  let free = `p${String(index)}`
  while (names.includes(free)) free = `_${free}`
  return free
}

/** @param literals the texts around the parameters of a segment */
function routeSegment(literals: readonly string[], nameNext: () => string): string {
  const [first = '', ...others] = literals.map((literal) => literal.replaceAll(':', '::'))
  if (others.length === 1 && others[0] === '') return `${first}:${nameNext()}`
  return (
    first +
    others.map((literal, index) => `:${nameNext()}(${textBefore(literals, index + 1, '[^]')})${literal}`).join('')
  )
}

function patternSegment(literals: readonly string[]): string {
  const [first = '', ...others] = literals.map(escaped)
  return first + others.map((literal, index) => textBefore(literals, index + 1, '[^/]') + literal).join('')
}

/**
 * The expression for a parameter. It has a character at least, and then ends at the first of the texts that follow it, so
 * that none takes long to match: in `/{id}-{name}`, `-5-x` has the id -5. The last parameter takes the rest.
 */
function textBefore(literals: readonly string[], index: number, character: string): string {
  const following = literals[index] ?? ''
  const isLast = following === '' || index === literals.length - 1
  return isLast ? `${character}+` : `${character}(?:(?!${escaped(following)})${character})*`
}

/** The expression for a text. */
export function escaped(literal: string): string {
  return literal.replaceAll(/[\\^$.*+?()[\]|-]/g, '\\$&')
}
