import type { FastifyBaseLogger } from 'fastify'
import { serve } from 'fastify-contract'
import { contract } from '../generated/contract.ts'
import { auth } from './auth.ts'
import { failureForm } from './failure-form.ts'
import { handlers } from './handlers.ts'

/** Builds the server, ready to listen. */
export function buildApp(logger?: FastifyBaseLogger) {
  return serve(contract, { auth, failureForm, handlers, logger })
}
