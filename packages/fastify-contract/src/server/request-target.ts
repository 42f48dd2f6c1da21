import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type SplitTarget, createTargetSplitter } from '../engine/request-target.ts'

/** The function that splits request targets where the router of a server does. */
export function targetSplitterOf({ initialConfig }: Pick<FastifyInstance, 'initialConfig'>): SplitTarget {
  // Fastify 5.5 moved the option. Its type of the moved ones omits it.
  const options: object[] = [initialConfig, initialConfig.routerOptions ?? {}]
  return createTargetSplitter(
    options.some((one) => 'useSemicolonDelimiter' in one && one.useSemicolonDelimiter === true),
  )
}

/** The texts of a request: of each parameter of its path, and of its query, where a repeated one is a list. */
export function textsOf(request: FastifyRequest) {
  // Those that the router and the query parser of Fastify make.
  const { params, query } = request as FastifyRequest<{ Params: Texts<string>; Querystring: Texts<string | string[]> }>
  return { params, query }
}

type Texts<Text> = Record<string, Text>
