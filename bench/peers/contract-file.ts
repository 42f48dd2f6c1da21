import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

/** The project's contract, which peers that read OpenAPI 3.1 take as it is. */
export const contractFile = join(import.meta.dirname, '../../openapi.yaml')

/**
 * The contract as OpenAPI 3.0, for openapi-backend, whose check of a document knows no other: without `info.summary`,
 * `license.identifier` and the schemas' lists of `examples`.
 */
export function contractAsOpenApi30(): Record<string, unknown> {
  const { info, ...rest } = parse(readFileSync(contractFile, 'utf8')) as {
    info: { license: Record<string, unknown> } & Record<string, unknown>
  }
  const { summary: _summary, license, ...otherInfo } = info
  const { identifier: _identifier, ...otherLicense } = license
  return {
    ...(withoutExamples(rest) as Record<string, unknown>),
    openapi: '3.0.3',
    info: { ...otherInfo, license: otherLicense },
  }
}

function withoutExamples(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutExamples)
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(
    Object.entries(node)
      .filter(([name, member]) => name !== 'examples' || !Array.isArray(member))
      .map(([name, member]) => [name, withoutExamples(member)]),
  )
}
