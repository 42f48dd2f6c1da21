import { registerHooks } from 'node:module'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** The Fastify of the tests; undefined for that of the service. */
    fastify?: string
  }
}

// Vitest gives it to what it loads itself. The rest is loaded by Node.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier.replace(/^fastify(?=\/|$)/, inject('fastify') ?? 'fastify'), context),
})
