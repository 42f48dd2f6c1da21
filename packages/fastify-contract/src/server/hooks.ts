import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Failure } from './refusal.ts'
import { sendFailure } from './send.ts'

/** A stage of a request: returns the failure that ends the request there, or undefined to go on. */
export type Stage = (request: FastifyRequest, reply: FastifyReply) => Failure | undefined | Promise<Failure | undefined>

/** Makes a hook that runs stages in their order and answers the first failure. */
export function inOrder(stages: readonly Stage[]): onRequestHookHandler {
  return (request, reply, done) => {
    const runFrom = (first: number): void => {
      for (let index = first; index < stages.length; index++) {
        let result: ReturnType<Stage>
        try {
          // The index is below the length.
          result = stages[index]!(request, reply)
        } catch (thrown) {
          done(errorOf(thrown))
          return
        }
        if (result instanceof Promise) {
          result
            .then((failure) => {
              if (failure === undefined) runFrom(index + 1)
              else sendFailure(reply, failure)
            })
            .catch((thrown: unknown) => {
              done(errorOf(thrown))
            })
          return
        }
        if (result !== undefined) {
          sendFailure(reply, result)
          return
        }
      }
      done()
    }
    runFrom(0)
  }
}

/** Fastify takes what is falsy for no error, and would go on. */
function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error('a stage threw what is no Error', { cause: thrown })
}
