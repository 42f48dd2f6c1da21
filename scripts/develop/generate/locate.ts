import { type Document, type LineCounter, isMap, isScalar, isSeq, visit } from 'yaml'

/** A place in a text: its line and its column, both from 1; neither where the place is not known. */
export interface Place {
  line?: number
  col?: number
}

/**
 * Makes the function that finds the place of which a problem speaks, as far as the problem's text names it: an
 * operation, a reference, or the members that lead there, such as `components/schemas/Plant/properties/name`.
 */
export function createLocator(yaml: Document.Parsed, lines: LineCounter): (problem: string) => Place {
  return (problem) => {
    const reference = /^the reference (\S+)/.exec(problem)?.[1]
    const [, id, path = ''] = /^(?:operation(?:Id)? ([^\s:]+):\s)?(.*)$/.exec(problem) ?? []
    const operation = id === undefined ? undefined : findMember(yaml, 'operationId', id)
    const offset =
      reference === undefined
        ? (follow(yaml, id === undefined ? yaml.contents : operation?.map, path) ?? operation?.offset)
        : findMember(yaml, '$ref', reference)?.offset
    if (offset === undefined) return {}
    const { line, col } = lines.linePos(offset)
    return { line, col }
  }
}

/** Follows the names at the beginning of a text from a node. @returns the offset of the last name that exists */
function follow(yaml: Document.Parsed, from: unknown, text: string): number | undefined {
  let node = resolve(yaml, from)
  let rest = text
  let offset: number | undefined
  for (;;) {
    // The places that problems name leave `content` out.
    const step = stepInto(node, rest) ?? stepInto(isMap(node) ? node.get('content', true) : undefined, rest)
    if (step === undefined) return offset
    offset = step.offset ?? offset
    node = resolve(yaml, step.node)
    rest = rest.slice(step.name.length).replace(/^\//, '')
  }
}

function stepInto(
  node: unknown,
  rest: string,
): { name: string; node: unknown; offset: number | undefined } | undefined {
  const members = isMap(node)
    ? node.items.map(({ key, value }) => ({ key, value }))
    : isSeq(node)
      ? node.items.map((value, index) => ({ key: index, value }))
      : []
  for (const { key, value } of members) {
    const name = String(isScalar(key) ? key.value : key)
    if (rest.startsWith(name) && /^(?:[/:\s]|$)/.test(rest.slice(name.length)))
      return { name, node: value, offset: isScalar(key) ? key.range?.[0] : undefined }
  }
  return undefined
}

function resolve(yaml: Document.Parsed, node: unknown): unknown {
  const reference: unknown = isMap(node) ? node.get('$ref') : undefined
  if (typeof reference !== 'string') return node
  return yaml.getIn(
    reference
      .replace(/^#\//, '')
      .split('/')
      .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~')),
    true,
  )
}

/** @returns the first mapping that has this member, and the offset of the member's value */
function findMember(
  yaml: Document.Parsed,
  key: string,
  value: string,
): { map: unknown; offset: number | undefined } | undefined {
  let found: { map: unknown; offset: number | undefined } | undefined
  visit(yaml, {
    Map(_key, map) {
      const scalar = map.get(key, true)
      if (!isScalar(scalar) || scalar.value !== value) return undefined
      found = { map, offset: scalar.range?.[0] }
      return visit.BREAK
    },
  })
  return found
}
