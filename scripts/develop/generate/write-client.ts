import type { ContractOperation } from '../../../src/contract/document.ts'
import type { Schema } from '../../../src/schema/schema-parts.ts'

/**
 * Writes the table of the client: the method and path of each operation, and for each declared status the places of
 * int64 in its JSON body, which the client reads exactly. `*` in a place means each item.
 */
export function writeClient(operations: ContractOperation[]): string {
  const members = operations.map(({ id, method, path, object }) => {
    const replies = Object.entries(object.responses).map(([status, { content }]) => {
      const media = content?.['application/json']
      return `${status}: ${media === undefined ? 'null' : JSON.stringify(int64Places(media.schema ?? {}))}`
    })
    const request = `method: '${method.toUpperCase()}', path: ${JSON.stringify(path)}`
    return `  ${id}: { ${request}, replies: { ${replies.join(', ')} } },\n`
  })
  return [
    '/** How an operation is called, and by status where its reply has an int64, or null where it has no body. */',
    'export interface ClientOperation {',
    '  method: string',
    '  path: string',
    '  replies: Record<number, string[][] | null>',
    '}',
    '',
    '/** The operations of the contract, by operationId. */',
    `export const clientOperations = {\n${members.sort().join('')}} satisfies Record<string, ClientOperation>\n`,
  ].join('\n')
}

function int64Places(schema: Schema): string[][] {
  const here = schema['format'] === 'int64' ? [[]] : []
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>).flatMap(
    ([name, property]) => int64Places(property).map((place) => [name, ...place]),
  )
  const { items } = schema as { items?: Schema }
  const inItems = items === undefined ? [] : int64Places(items).map((place) => ['*', ...place])
  const combined = ['allOf', 'anyOf', 'oneOf'].flatMap((name) =>
    ((schema[name] ?? []) as Schema[]).flatMap(int64Places),
  )
  const places = [...here, ...properties, ...inItems, ...combined]
  return [...new Map(places.map((place) => [place.join('/'), place])).values()]
}
