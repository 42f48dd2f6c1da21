import { type Compilation, measureCompilation } from 'fastify-contract/compilation'
import { type ContractDocument, type ContractOperation, operationPlaces } from 'fastify-contract/document'
import type { Finding } from '../yaml/findings.ts'

/** The longest time, in milliseconds, that a server may spend on one schema while its clients wait. */
const longestMilliseconds = 500

/** Finds operations of an adopted contract with schemas that cannot be compiled, or that take long. */
export function checkCompilation(
  document: ContractDocument,
  operations: ContractOperation[],
): Record<'uncompiled' | 'slow', Finding[]> {
  const compilations = measureCompilation(document, operations)
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
  return `a schema of its ${part} takes ${seconds} s to compile, which blocks every client; split it into named schemas`
}

/** The operation's responses, its request body, or its parameters. */
function placeOf({ operation, part }: Compilation, { paths }: ContractDocument): Finding['at'] {
  const item = paths?.[operation.path]
  const { holder, key: method, object } = operationPlaces(item ?? {}).find((each) => each.method === operation.method)!
  const keys = part === 'replies' ? ['responses'] : ['requestBody', 'parameters']
  const key = keys.find((each) => each in object)
  return key === undefined ? { object: holder, key: method } : { object, key }
}
