import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Failure } from '../contract/errors.ts'
import { sendFailure } from './send.ts'

/** A stage of a request: returns the failure that ends the request there, or undefined to go on. */
export type Stage = (request: FastifyRequest, reply: FastifyReply) => Failure | undefined | Promise<Failure | undefined>

/** Makes a hook that runs stages in their order and answers the first failure. */
export function inOrder(stages: readonly Stage[]): onRequestHookHandler {
  return (request, reply, done) => {
    const runFrom = (first: number): void => {
      for (let index = first; index < stages.length; index++) {
        // The index is below the length.
        const result = stages[index]!(request, reply)
        if (result instanceof Promise) {
          result
            .then((failure) => {
              if (failure === undefined) runFrom(index + 1)
              else sendFailure(reply, failure)
            })
            .catch(done)
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
