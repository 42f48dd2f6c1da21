import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ContractOperation } from '../document/document.ts'
import { type SplitTarget, createTargetSplitter } from '../engine/request-target.ts'

/** The function that splits request targets where the router of a server does. */
export function targetSplitterOf({ initialConfig }: Pick<FastifyInstance, 'initialConfig'>): SplitTarget {
  // Fastify 5.5 moved the option. Its type of the moved ones omits it.
  const options: object[] = [initialConfig, initialConfig.routerOptions ?? {}]
  return createTargetSplitter(
    options.some((one) => 'useSemicolonDelimiter' in one && one.useSemicolonDelimiter === true),
  )
}

/**
 * Warns of operations whose path has `;`, where it begins the query.
 *
 * @param operations with base paths that include the prefix of the server
 * @returns undefined without such operations, or on any other server
 */
export function semicolonWarning(
  operations: readonly Pick<ContractOperation, 'id' | 'path' | 'parameters' | 'basePaths'>[],
  splitTarget: SplitTarget,
): string | undefined {
  const [first, ...others] = operations.filter(({ path, parameters, basePaths }) => {
    const matrix = parameters.filter((one) => one.in === 'path' && one.style === 'matrix')
    const sent = matrix.reduce((all, { name }) => all.replace(`{${name}}`, ';'), path)
    return basePaths.some((base) => splitTarget(base + sent).path !== base + sent)
  })
  if (first === undefined) return undefined
  const more = others.length > 0 ? ` and ${String(others.length)} more` : ''
  const verb = others.length > 0 ? 'have' : 'has'
  return `${first.id}${more} ${verb} ; in the path, where the query begins on this server; remove useSemicolonDelimiter`
}

/** The texts of a request: of each parameter of its path, and of its query, where a repeated one is a list. */
export function textsOf(request: FastifyRequest) {
  // Those that the router and the query parser of Fastify make.
  const { params, query } = request as FastifyRequest<{ Params: Texts<string>; Querystring: Texts<string | string[]> }>
  return { params, query }
}

type Texts<Text> = Record<string, Text>
