import { type Compilation, measureCompilation } from 'fastify-contract/compilation'
import type { ContractDocument, ContractOperation } from 'fastify-contract/document'
import type { Finding } from './findings.ts'

/** The longest time, in milliseconds, that a server may spend on one schema while its clients wait. */
const longestMilliseconds = 500

/**
 * Finds operations with schemas that cannot be compiled, or that take long.
 *
 * @param document an adopted contract
 * @param resolved the contract with its references resolved
 */
export async function checkCompilation(
  document: ContractDocument,
  resolved: ContractDocument,
  operations: ContractOperation[],
): Promise<Record<'uncompiled' | 'slow', Finding[]>> {
  const compilations = await measureCompilation(resolved, operations)
  const findings = (some: Compilation[], textOf: (compilation: Compilation) => string): Finding[] =>
    some.map((compilation) => ({
      at: placeOf(compilation, document),
      text: `operation ${compilation.operation.id}: ${textOf(compilation)}`,
    }))
  return {
    uncompiled: findings(
      compilations.filter(({ error }) => error !== undefined),
      ({ error }) => reasonOf(error),
    ),
    slow: findings(
      compilations.filter(({ longest }) => longest > longestMilliseconds),
      slowness,
    ),
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return 'a schema is too large to compile; split it into named schemas'
  return `a schema cannot be compiled (${error instanceof Error ? error.message : String(error)})`
}

function slowness({ part, longest }: Compilation): string {
  const seconds = (longest / 1_000).toFixed(1)
  return `a schema of its ${part} takes ${seconds} s to compile, and the server answers nobody meanwhile; split it into named schemas`
}

/** The operation's responses, its request body, or its parameters. */
function placeOf({ operation, part }: Compilation, { paths }: ContractDocument): Finding['at'] {
  const item = paths?.[operation.path]
  const object = item?.[operation.method]
  const keys = part === 'replies' ? ['responses'] : ['requestBody', 'parameters']
  const key = keys.find((each) => object !== undefined && each in object)
  return object === undefined || key === undefined ? { object: item!, key: operation.method } : { object, key }
}
