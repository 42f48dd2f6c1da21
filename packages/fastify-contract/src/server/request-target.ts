import type { FastifyInstance } from 'fastify'
import { type SplitTarget, createTargetSplitter } from '../engine/request-target.ts'

/** The function that splits request targets where the router of a server does. */
export function targetSplitterOf({ initialConfig }: Pick<FastifyInstance, 'initialConfig'>): SplitTarget {
  // Fastify 5.5 moved the option. Its type of the moved ones omits it.
  const options: object[] = [initialConfig, initialConfig.routerOptions ?? {}]
  return createTargetSplitter(
    options.some((one) => 'useSemicolonDelimiter' in one && one.useSemicolonDelimiter === true),
  )
}
