import type { FastifyInstance } from 'fastify'
import type { BoundOperation } from '../engine/engine.ts'

/**
 * Compiles the validators of all operations while the server listens, one schema in each turn of the event loop: first
 * those of requests, then those of replies. The start of a small contract would take a tenth longer with them, that of a
 * contract with a thousand operations several seconds. An earlier request waits for those of its operation.
 */
export function compileValidators(app: FastifyInstance, operations: BoundOperation[]): void {
  let isClosing = false
  async function compile(part: keyof BoundOperation['validators']): Promise<void> {
    for (const { id, validators } of operations) {
      if (isClosing) return
      await validators[part].run().catch((error: unknown) => {
        app.log.error({ err: error }, `every request to ${id} fails`)
      })
    }
  }
  app.addHook('onListen', (done) => {
    void compile('requests').then(() => compile('replies'))
    done()
  })
  app.addHook('preClose', (done) => {
    isClosing = true
    done()
  })
}
