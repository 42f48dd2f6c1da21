import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

/** The project's contract, in OpenAPI 3.1. */
export const contractFile = join(import.meta.dirname, '../../openapi.yaml')

/**
 * Converts the contract to OpenAPI 3.0, the only version that openapi-backend validates: removes `info.summary`,
 * `license.identifier` and the `examples` of schemas.
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
