import cookie from '@fastify/cookie'
import helmet from '@fastify/helmet'
import multipart from '@fastify/multipart'
import rateLimit from '@fastify/rate-limit'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import fastify from 'fastify'
import { type FailureForm, type Found, fastifyContract } from 'fastify-contract'
import { type Auth, type Handlers, contract } from './generated/contract.ts'
import { pets, userOf } from './pets.ts'
import { routes } from './routes.ts'

const auth = { session: userOf } satisfies Auth

/** The operations that the contract serves. */
const handlers: Pick<Handlers<object, Found<typeof auth>>, 'getPet'> = {
  getPet: ({ path: { petId } }) => {
    const pet = pets.get(petId)
    return pet === undefined
      ? { status: 404, body: { statusCode: 404, message: 'no such pet' } }
      : { status: 200, body: pet }
  },
}

/** Failures look as those of the routes. */
const failureForm: FailureForm = ({ status, message }) => ({ body: { statusCode: status, message } })

export async function buildApp() {
  const app = fastify()
  await app.register(helmet)
  await app.register(cookie)
  await app.register(multipart)
  // As a hook of the app it runs before every authentication, so it also counts the requests that are answered 401.
  await app.register(rateLimit, { global: false })
  app.addHook('onRequest', app.rateLimit({ max: 20, timeWindow: '1 minute' }))
  // The contract documents all operations, also those that are not adopted yet.
  const path = `${import.meta.dirname}/openapi.yaml`
  await app.register(swagger, { mode: 'static', specification: { path, baseDir: import.meta.dirname } })
  await app.register(swaggerUi, { routePrefix: '/docs' })

  await app.register(routes)
  await app.register(fastifyContract(contract, { only: ['getPet'], handlers, auth, failureForm, docs: false }))
  return app
}
